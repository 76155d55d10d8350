#include "engine/maintenance/retention_job.h"

#include "engine/limits.h"
#include "engine/maintenance/retention.h"

namespace weir::engine {

namespace {
constexpr std::size_t kTopicCostInPartitions = 16;
}  // namespace

RetentionJob::RetentionJob(JobContext& context)
    : context_(context),
      advanced_(context.metrics.counter("weir_retention_starts_advanced_total",
                                        "Starts of partitions that retention moved up")) {}

rt::Task<Result<bool>> RetentionJob::run_once() {
  state::command::AdvanceStart command;
  std::string from;
  std::size_t looked = 0;
  while (context_.may_go_on()) {
    // The state may change between two slices, so each begins with a look-up by name.
    std::optional<state::TopicInfo> topic;
    context_.state().visit_topics(from, [&](const state::TopicInfo& found) {
      topic = found;
      return false;
    });
    if (!topic) break;
    from = topic->name + '\0';
    // Reading a topic's settings costs as much as many of its partitions.
    looked += kTopicCostInPartitions;
    if (looked % kPartitionsPerSlice < kTopicCostInPartitions) co_await rt::yield(context_.loop);
    if (!is_mine(context_, topic->id.view())) continue;
    TopicRules rules = rules_of(context_, *topic);
    for (std::int32_t p = 0; p < topic->partitions && context_.may_go_on(); ++p) {
      if (++looked % kPartitionsPerSlice == 0) co_await rt::yield(context_.loop);
      state::PartitionRef at{topic->id, PartitionIndex(p)};
      std::optional<Offset> start = retained_start(context_.state(), at, rules);
      if (!start) continue;
      auto& item = command.partitions.emplace_back();
      item.topic_id = at.topic;
      item.partition = p;
      item.start_offset = start->value;
      item.guard_start = context_.state().partition(at)->start.value;
      item.guard_config_version = topic->config_version;
      if (command.partitions.size() >= kItemsPerCommandMax)
        WEIR_CO_TRY(co_await propose(std::exchange(command, {})));
    }
  }
  if (!command.partitions.empty()) WEIR_CO_TRY(co_await propose(std::move(command)));
  co_return false;
}

rt::Task<Result<void>> RetentionJob::propose(state::command::AdvanceStart command) {
  auto outcome = co_await context_.proposer.propose(make_proposal(command),
                                                    context_.loop.now() + kJobProposeWait);
  if (!outcome) co_return with_context(outcome.error(), "advancing starts");
  // What was refused has changed since, and is looked at again in the next round.
  for (const state::ItemOutcome& item : outcome->items)
    if (item.refusal == Refusal::none) advanced_.add();
  co_return Result<void>{};
}

}  // namespace weir::engine
