#include "tests/sim/group_work.h"

#include <algorithm>
#include <charconv>

namespace weir::sim {

using engine::GroupOutcome;
using state::Refusal;

namespace {

/// -1 if it is no number.
std::int64_t number_of(const std::string& text) {
  std::int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

rt::Task<engine::FetchedOffsets> read_committed(engine::ClusterEngine& engine,
                                                engine::OffsetsQuery query) {
  auto proved = co_await engine.barrier(engine.loop().now() + kGroupCallMax);
  if (!proved) {
    engine::FetchedOffsets out;
    out.failure = proved.error();
    co_return out;
  }
  co_return engine.groups().read_offsets(query);
}

}  // namespace

rt::Task<bool> GroupWork::take(Self self, std::vector<std::int32_t> partitions) {
  std::vector<GroupChecker::Known> before;
  engine::OffsetsQuery query{kGroupName, std::nullopt, -1, std::vector<state::PartitionRef>()};
  if (self.reads_as_member) {
    query.member = self.id.member;
    query.member_epoch = self.id.generation;
  }
  for (std::int32_t p : partitions) {
    before.push_back(checker_.known(p));
    query.partitions->push_back({options_.topic, PartitionIndex(p)});
  }
  Request<engine::FetchedOffsets> ask = [query](engine::ClusterEngine& engine) {
    return read_committed(engine, query);
  };
  auto answer = co_await call<engine::FetchedOffsets>(std::move(ask), kGroupCallMax);
  if (!answer || !answer->ok()) {
    if (answer) trouble_ = std::string(to_string(answer->refusal));
    co_return false;
  }
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const engine::CommittedOffset& found = answer->offsets.at(i);
    const std::int64_t output = found.offset < 0 ? 0 : number_of(found.metadata);
    checker_.fetched(partitions[i], {found.offset, output}, before[i], who(self));
    checker_.takes(partitions[i], who(self), caller_.loop().now());
    progress_[partitions[i]] = {std::max<std::int64_t>(found.offset, 0), output};
    owned_.push_back(partitions[i]);
  }
  std::ranges::sort(owned_);
  co_return true;
}

void GroupWork::give_up(const std::vector<std::int32_t>& partitions) {
  for (std::int32_t partition : partitions) {
    checker_.gives_up(partition, options_.name);
    std::erase(owned_, partition);
  }
}

rt::Task<GroupWork::Committed> GroupWork::commit(Self self, std::int32_t partition) {
  Committed committed{.sent = caller_.loop().now()};
  const Progress progress = progress_[partition];
  checker_.processed(partition, progress.position);
  const GroupChecker::Known before = checker_.known(partition);
  std::vector<engine::OffsetToCommit> offsets = {{{options_.topic, PartitionIndex(partition)},
                                                  progress.position + 1,
                                                  -1,
                                                  std::to_string(progress.output + 1)}};
  Request<std::vector<GroupOutcome>> ask = [id = self.id, offsets](engine::ClusterEngine& engine) {
    return engine.groups().commit_offsets(id, offsets, engine.loop().now() + kGroupCallMax);
  };
  auto answer = co_await call<std::vector<GroupOutcome>>(std::move(ask), kGroupCallMax);
  if (!answer || answer->front().failure) {
    checker_.unclear(partition, progress.position, who(self));
    co_return committed;
  }
  // The broker was put out with the commit: it does not land any more, and may be tried again.
  if (answer->front().refusal == Refusal::not_registered) co_return committed;
  committed.refusal = answer->front().refusal;
  if (committed.refusal != Refusal::none) {
    trouble_ = std::string(to_string(committed.refusal));
    co_return committed;
  }
  committed.acknowledged = true;
  checker_.committed(partition, progress.position, before, who(self), committed.sent);
  progress_[partition] = {progress.position + 1, progress.output + 1};
  co_return committed;
}

}  // namespace weir::sim
