// Fetcher: answers fetches, and parks them until the fold has something for them.
//
// A parked fetch is registered under each of its partitions. A fold wakes exactly the fetches whose
// partitions it changed, and a woken fetch looks only at those partitions, so a commit costs
// O(changed partitions), not O(session). While a catch-up reader's client takes an answer in, what
// it will ask for next is loaded. Refusals (unknown partition, offset out of range) are said after
// a barrier only; an empty answer claims nothing and needs none (docs/design.md, 4g).
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/api.h"
#include "engine/follower.h"
#include "engine/partition_hash.h"
#include "engine/reader.h"

namespace weir::engine {

class Fetcher {
 public:
  Fetcher(rt::Loop& loop, Follower& follower, Reader& reader, Metrics& metrics);

  rt::Task<std::vector<FetchedPartition>> fetch(std::vector<FetchItem> items, FetchOptions options,
                                                const bool* cancelled);
  /// Wakes what waits for these partitions.
  void on_changed(const std::vector<PartitionRef>& changed);
  void wake_all();
  /// Nothing is read ahead from now on; waits for what is under way. Fetches may still be served.
  rt::Task<void> stop();
  std::size_t parked() const { return parked_; }

 private:
  struct Call {
    Call(rt::Loop& loop, std::vector<FetchItem> i, FetchOptions o)
        : items(std::move(i)), options(o), available(items.size()), bad(items.size()), wake(loop) {}
    std::vector<FetchItem> items;
    FetchOptions options;
    std::vector<std::uint32_t> available;
    /// Items that the present state would refuse.
    std::vector<std::uint8_t> bad;
    std::size_t bad_count = 0;
    std::uint64_t available_sum = 0;
    std::vector<std::uint32_t> changed;
    bool look_at_all = false;
    rt::Event wake;
  };
  struct Waiter {
    Call* call;
    std::uint32_t index;
  };

  void look_at(Call& call, std::uint32_t index) const;
  void look_at_all(Call& call) const;
  Refusal refusal_of(const FetchItem& item) const;
  /// What the answer will probably hold.
  std::vector<Reader::Range> ranges_of(const Call& call) const;
  void park(Call& call);
  void unpark(Call& call);
  rt::Task<void> wait(Call& call, const bool* cancelled);
  rt::Task<std::vector<FetchedPartition>> answer(Call& call, std::optional<Error> barrier_failure);
  void read_ahead(const Call& call, const std::vector<FetchedPartition>& answers);
  rt::Task<void> load_ahead(std::vector<Reader::Range> ranges, std::size_t bytes);

  rt::Loop& loop_;
  Follower& follower_;
  Reader& reader_;
  std::unordered_map<PartitionRef, std::vector<Waiter>, PartitionHash> waiters_;
  std::vector<Call*> calls_;
  std::size_t parked_ = 0;
  rt::Scope read_ahead_;
  std::size_t read_ahead_bytes_ = 0;
  bool stopping_ = false;
  Counter& wakes_;
};

}  // namespace weir::engine
