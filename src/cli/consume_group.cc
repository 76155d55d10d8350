// weir consume --group: prints what the group's coordinator gives us, and commits what was printed.
//
// At least once: a record is committed after it was printed, so what was printed between the last
// commit and a crash is printed again, by us or by another member.
#include "cli/consume.h"
#include "client/group_member.h"

namespace weir::cli {
namespace {

using Offsets = std::map<client::TopicPartition, Offset>;

class GroupReader {
 public:
  GroupReader(Session& session, const ConsumePlan& plan)
      : session_(session),
        plan_(plan),
        member_(session.cluster, {.group = std::string(session.settings.text("group")),
                                  .topics = {session.names.front()}}),
        consumer_(session.cluster,
                  {.read_committed = session.settings.text("isolation") == "committed"}) {}

  rt::Task<Result<void>> run() {
    Result<void> done = co_await read_all();
    // Whatever ended it: others take over at once, from what we have printed.
    if (session_.cluster.is_shut()) co_return done;
    Result<void> flushed = session_.console.flush();
    if (done && flushed) {
      auto committed = co_await commit();
      if (!committed) done = std::unexpected(committed.error());
    }
    Result<void> left = co_await member_.leave(session_.deadline());
    if (!done) co_return done;
    co_return left;
  }

 private:
  bool over() const { return enough_ || session_.console.is_interrupted(); }

  rt::Task<Result<void>> read_all() {
    for (;;) {
      auto partitions = co_await member_.join(session_.deadline() + kJoinPatience);
      if (!partitions) co_return std::unexpected(partitions.error());
      WEIR_CO_TRY(co_await begin(std::move(*partitions)));
      Result<bool> finished = co_await read();
      if (!finished) co_return std::unexpected(finished.error());
      if (*finished) co_return Result<void>();
    }
  }

  /// Goes on where the group has committed, else where the options say.
  rt::Task<Result<void>> begin(std::vector<client::TopicPartition> partitions) {
    consumer_.unassign_all();
    printed_.clear();
    ends_.clear();
    auto committed = co_await member_.committed(partitions, session_.deadline());
    if (!committed) co_return std::unexpected(committed.error());
    for (const client::TopicPartition& at : partitions) {
      Result<Offset> from = Offset(0);
      const auto known = committed->find(at);
      if (known != committed->end())
        from = known->second;
      else
        from = co_await offset_of(session_, consumer_, at, plan_.from);
      if (!from) co_return std::unexpected(from.error());
      if (plan_.to) {
        Result<Offset> end = co_await offset_of(session_, consumer_, at, *plan_.to);
        if (!end) co_return std::unexpected(end.error());
        if (*from >= *end) continue;
        ends_[at] = *end;
      }
      consumer_.assign(at, *from);
    }
    heartbeat_at_ = session_.cluster.loop().now() + client::kGroupHeartbeatInterval;
    co_return Result<void>();
  }

  /// True when all is read; false when the group is rebalancing.
  rt::Task<Result<bool>> read() {
    while (consumer_.assigned() != 0 && !over()) {
      auto round = co_await consumer_.poll(session_.deadline());
      if (!round) co_return std::unexpected(round.error());
      for (const client::Fetched& fetched : *round) {
        WEIR_CO_TRY(print(fetched));
        if (over()) break;
      }
      if (session_.cluster.loop().now() < heartbeat_at_) continue;
      Result<bool> stable = co_await show_life();
      if (!stable || !*stable) co_return stable;
    }
    co_return true;
  }

  Result<void> print(const client::Fetched& fetched) {
    const auto end = ends_.find(fetched.at);
    const bool ending = end != ends_.end();
    Result<Printed> done =
        print_records(session_, plan_, fetched, ending ? end->second : kNoEnd, count_);
    if (!done) return std::unexpected(done.error());
    printed_[fetched.at] = done->next;
    enough_ = done->enough;
    if (ending && fetched.next >= end->second) consumer_.unassign(fetched.at);
    return {};
  }

  rt::Task<Result<bool>> commit() {
    Result<bool> done = co_await member_.commit(printed_, session_.deadline());
    if (done && *done) printed_.clear();
    co_return done;
  }

  rt::Task<Result<bool>> show_life() {
    WEIR_CO_TRY(session_.console.flush());
    heartbeat_at_ = session_.cluster.loop().now() + client::kGroupHeartbeatInterval;
    Result<bool> committed = co_await commit();
    if (!committed || !*committed) co_return committed;
    co_return co_await member_.heartbeat(session_.deadline());
  }

  /// Joining waits for the other members, which takes longer than a request.
  static constexpr Duration kJoinPatience = client::kGroupRebalanceTimeoutDefault;

  Session& session_;
  const ConsumePlan& plan_;
  client::GroupMember member_;
  client::Consumer consumer_;
  /// Next offsets to be committed.
  Offsets printed_;
  Offsets ends_;
  std::int64_t count_ = 0;
  bool enough_ = false;
  MonoTime heartbeat_at_;
};

}  // namespace

Result<Printed> print_records(Session& session, const ConsumePlan& plan,
                              const client::Fetched& fetched, Offset end, std::int64_t& count) {
  Printed out{.enough = false, .next = std::min(fetched.next, end)};
  Result<void> written;
  Result<void> walked = client::for_each_record(fetched, [&](const record::RecordView& record) {
    if (record.offset >= end) return false;
    written = session.console.out(plan.printer.line(fetched.at, record));
    ++count;
    out.enough = plan.count && count >= *plan.count;
    if (out.enough) out.next = record.offset.next();
    return written && !out.enough;
  });
  if (!walked) return std::unexpected(walked.error());
  if (!written) return std::unexpected(written.error());
  return out;
}

rt::Task<Result<void>> consume_in_group(Session& session, const ConsumePlan& plan) {
  if (plan.count && *plan.count == 0) co_return Result<void>();
  GroupReader reader(session, plan);
  co_return co_await reader.run();
}

}  // namespace weir::cli
