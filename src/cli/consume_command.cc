// weir consume: records of a topic to standard output, up to the end or for ever.
#include "base/narrow.h"
#include "base/units.h"
#include "cli/consume.h"

namespace weir::cli {
namespace {

Result<ConsumePlan> plan_of(const Session& session) {
  const Settings& settings = session.settings;
  ConsumePlan plan;
  for (std::string_view name : {"from", "to"}) {
    if (!settings.has(name)) continue;
    Result<Place> place = parse_place(settings.text(name));
    if (!place) return with_context(place.error(), settings.one(name).source);
    if (name == "from")
      plan.from = *place;
    else
      plan.to = *place;
  }
  if (settings.has("group") && (settings.has("partition") || settings.has("to")))
    return fail(ErrorCode::invalid_argument,
                "--group shares out the partitions and goes on from its commits, so it does not go "
                "with --partition or --to");
  if (settings.flag("follow") && plan.to)
    return fail(ErrorCode::invalid_argument, "--follow never ends, so it does not go with --to");
  if (!settings.flag("follow") && !plan.to) plan.to = Place{Place::Kind::end};
  for (const Setting& setting : settings.all("partition")) {
    Result<std::int64_t> index = parse_integer(setting.text);
    ENSURE(index.has_value());
    plan.partitions.emplace_back(narrow<std::int32_t>(*index));
  }
  if (settings.has("count")) plan.count = settings.integer("count");
  plan.printer.json = session.json();
  if (settings.has("print")) {
    auto fields = parse_fields(settings.text("print"));
    if (!fields) return with_context(fields.error(), settings.one("print").source);
    plan.printer.fields = std::move(*fields);
  }
  return plan;
}

/// Where each partition ends; those that never do are absent.
using Ends = std::map<client::TopicPartition, Offset>;

rt::Task<Result<void>> assign_all(Session& session, client::Consumer& consumer,
                                  const ConsumePlan& plan, Ends& ends) {
  const std::string& name = session.names.front();
  auto topic = co_await session.cluster.topic(name, session.deadline());
  if (!topic) co_return std::unexpected(topic.error());
  std::vector<PartitionIndex> partitions = plan.partitions;
  if (partitions.empty())
    for (const auto& partition : topic->partitions) partitions.push_back(partition.index);
  for (PartitionIndex index : partitions) {
    client::TopicPartition at{name, index};
    Result<Offset> from = co_await offset_of(session, consumer, at, plan.from);
    if (!from) co_return std::unexpected(from.error());
    if (plan.to) {
      Result<Offset> to = co_await offset_of(session, consumer, at, *plan.to);
      if (!to) co_return std::unexpected(to.error());
      if (*from >= *to) continue;
      ends[at] = *to;
    }
    consumer.assign(at, *from);
  }
  co_return Result<void>();
}

rt::Task<Result<void>> run(Session& session, const ConsumePlan& plan) {
  if (plan.count && *plan.count == 0) co_return Result<void>();
  client::Consumer consumer(session.cluster,
                            {.read_committed = session.settings.text("isolation") == "committed"});
  Ends ends;
  WEIR_CO_TRY(co_await assign_all(session, consumer, plan, ends));
  std::int64_t printed = 0;
  while (consumer.assigned() != 0 && !session.console.is_interrupted()) {
    Result<std::vector<client::Fetched>> round = co_await consumer.poll(session.deadline());
    if (!round) co_return std::unexpected(round.error());
    for (const client::Fetched& fetched : *round) {
      auto end = ends.find(fetched.at);
      const bool ending = end != ends.end();
      Result<Printed> done =
          print_records(session, plan, fetched, ending ? end->second : kNoEnd, printed);
      if (!done) co_return std::unexpected(done.error());
      if (done->enough) co_return session.console.flush();
      if (ending && fetched.next >= end->second) consumer.unassign(fetched.at);
    }
    WEIR_CO_TRY(session.console.flush());
  }
  co_return session.console.flush();
}

}  // namespace

rt::Task<ExitStatus> consume(Session& session) {
  Result<ConsumePlan> plan = plan_of(session);
  if (!plan) co_return session.refuse(plan.error());
  Result<void> done = session.settings.has("group") ? co_await consume_in_group(session, *plan)
                                                    : co_await run(session, *plan);
  (void)session.console.flush();
  if (done) co_return ExitStatus::success;
  // `| head` has what it wanted.
  if (session.console.is_closed()) co_return ExitStatus::success;
  // Ctrl-C is how a follower ends.
  if (session.cluster.is_shut() && session.settings.flag("follow")) co_return ExitStatus::success;
  co_return session.fail(done.error(), topic_advice(session));
}

}  // namespace weir::cli
