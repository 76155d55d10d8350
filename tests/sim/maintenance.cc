#include "tests/sim/maintenance.h"

#include <algorithm>
#include <set>

#include "engine/segment.h"

namespace weir::sim {

namespace {

template <class T>
T pick(rt::Random& random, std::initializer_list<T> choices) {
  return choices.begin()[random.below(choices.size())];
}

constexpr Duration kBarrierMax = 4s;

rt::Task<Result<std::set<std::string>>> list_data(objstore::ObjectStore& store) {
  std::set<std::string> names;
  std::string from;
  do {
    auto page = co_await store.list("data/", from);
    if (!page) co_return std::unexpected(page.error());
    for (const objstore::ObjectInfo& object : page->objects) names.insert(object.name);
    from = page->next;
  } while (!from.empty());
  co_return names;
}

struct Policy {
  bool compacts = false;
  bool removes = true;
};
Policy policy_of(const state::TopicInfo& topic) {
  const std::string* text = state::find_config(topic.configs, "cleanup.policy");
  if (!text) return {};
  return {text->find("compact") != std::string::npos, text->find("delete") != std::string::npos};
}

/// Every partition, by name of topic.
std::vector<state::PartitionRef> all_partitions(const state::State& state) {
  std::vector<state::PartitionRef> found;
  state.visit_topics("", [&](const state::TopicInfo& topic) {
    for (std::int32_t p = 0; p < topic.partitions; ++p)
      found.push_back({topic.id, PartitionIndex(p)});
    return true;
  });
  return found;
}

}  // namespace

engine::MaintenanceOptions draw_maintenance(rt::Random& random) {
  engine::MaintenanceOptions options;
  options.retention_check = pick<Duration>(random, {300ms, 1s});
  options.clock_interval = pick<Duration>(random, {500ms, 2s});
  options.clock_interval_idle = 2s;
  options.merge_interval = pick<Duration>(random, {200ms, 1s});
  options.merge_after = pick<Duration>(random, {200ms, 2s});
  options.merge_spans_min = pick<std::size_t>(random, {2, 4, 8});
  options.merge_leave_bytes = pick<std::size_t>(random, {2'000, 1u << 20});
  options.merge_region_bytes = options.merge_leave_bytes * 4;
  options.merge_segment_bytes = pick<std::size_t>(random, {6'000, 64u << 20});
  options.horizon_interval = pick<Duration>(random, {700ms, 2s});
  options.deletion_delay = pick<Duration>(random, {200ms, 2s});
  options.deletion_interval = 300ms;
  options.orphans_interval = pick<Duration>(random, {1s, 4s});
  options.truncate_interval = pick<Duration>(random, {200ms, 1s});
  options.truncate_entries_min = pick<std::uint64_t>(random, {1, 30});
  options.log_grace = pick<Duration>(random, {0s, 4s, 10s});
  options.merge_pass_bytes = pick<std::size_t>(random, {6'000, 128u << 20});
  options.compaction_interval = pick<Duration>(random, {300ms, 1s});
  options.compaction_dirty_bytes_min = 1;
  // With few keys a run ends early, and the next one goes on.
  options.compaction_memory_bytes = pick<std::size_t>(random, {20 * 100, 20 * 600, 1u << 20});
  options.rewrite_bytes_min = pick<std::size_t>(random, {1'500, 4u << 20});
  options.requests_per_second = pick<std::uint64_t>(random, {100, 2'000});
  return options;
}

rt::Task<std::vector<Finding>> audit_storage(engine::ClusterEngine& engine,
                                             std::map<TopicId, Checker::Retention> retention) {
  std::vector<Finding> findings;
  auto proved = co_await engine.barrier(engine.loop().now() + kBarrierMax);
  auto names = co_await list_data(engine.maintenance().context().store);
  if (!proved || !names) {
    const Error& error = proved ? names.error() : proved.error();
    findings.push_back({Violation::stuck, "the audit could not look: " + describe(error)});
    co_return findings;
  }
  const state::State& state = engine.follower().state();
  std::set<std::string> referenced;
  for (const state::PartitionRef& at : all_partitions(state)) {
    state.visit_spans(at, Offset(0), [&](const state::SpanInfo& span) {
      if (!span.object.is_inline) referenced.insert(engine::segment_name(span.object));
      return true;
    });
    auto rule = retention.find(at.topic);
    std::optional<state::PartitionInfo> info = state.partition(at);
    if (rule == retention.end() || !info) continue;
    Policy policy = policy_of(*state.topic(at.topic));
    if (policy.compacts && info->compacted_to < info->end && info->start != info->end)
      findings.push_back({Violation::uncompacted,
                          at.topic.hex() + "-" + std::to_string(at.partition.value) +
                              " is clean up to " + std::to_string(info->compacted_to.value) +
                              " of " + std::to_string(info->end.value)});
    if (policy.removes && rule->second.ms >= 0 && info->start != info->end)
      findings.push_back({Violation::kept, at.topic.hex() + "-" +
                                               std::to_string(at.partition.value) + " still has " +
                                               std::to_string(info->end.value - info->start.value) +
                                               " records"});
  }
  for (const std::string& name : referenced)
    if (!names->contains(name)) findings.push_back({Violation::missing, name});
  for (const std::string& name : *names)
    if (!referenced.contains(name))
      findings.push_back(
          {Violation::leaked, name + ", horizon " + std::to_string(state.horizon().value)});
  co_return findings;
}

}  // namespace weir::sim
