// Uniform: keep what may be kept, give what nobody has to whoever has least, then move from the
// fullest to the emptiest as long as that makes it more even.
//
// Where all members read the same topics, quotas say at once what a member may keep, so one pass
// does it; else moves between the subscribers of one topic are repeated until nothing changes. Each
// move lowers the sum of the squares of the loads, so that ends; the number of rounds is limited
// all the same.
#include <algorithm>
#include <map>
#include <set>

#include "base/narrow.h"
#include "engine/assignors/assignor.h"

namespace weir::engine {
namespace {

constexpr int kRoundsMax = 16;
constexpr std::size_t kNobody = ~std::size_t{0};

/// By load, then by order of the members, so that ties fall alike everywhere.
using Loads = std::set<std::pair<std::size_t, std::size_t>>;

class Uniform {
 public:
  explicit Uniform(const AssignorInput& input)
      : input_(input),
        owners_(input.topics.size()),
        subscribers_(input.topics.size()),
        load_(input.members.size()) {
    for (std::size_t t = 0; t < input.topics.size(); ++t)
      owners_[t].assign(narrow<std::size_t>(input.topics[t].partitions), kNobody);
    for (std::size_t m = 0; m < input.members.size(); ++m)
      for (std::size_t topic : input.members[m].topics) subscribers_[topic].push_back(m);
  }

  Assignment run() {
    same_ = std::ranges::all_of(input_.members, [&](const AssignableMember& member) {
      return member.topics == input_.members.front().topics;
    });
    keep();
    give_rest();
    if (!same_)
      for (int round = 0; round < kRoundsMax && balance(); ++round) {
      }
    return result();
  }

 private:
  /// Index of the topic in the input, if the member subscribes to it.
  std::size_t topic_of(const AssignableMember& member, const TopicId& id) const {
    auto at = std::ranges::lower_bound(input_.topics, id, {}, &AssignableTopic::id);
    if (at == input_.topics.end() || at->id != id) return kNobody;
    auto index = static_cast<std::size_t>(at - input_.topics.begin());
    return std::ranges::binary_search(member.topics, index) ? index : kNobody;
  }

  std::size_t total() const {
    std::size_t count = 0;
    for (std::size_t t = 0; t < owners_.size(); ++t)
      if (!subscribers_[t].empty()) count += owners_[t].size();
    return count;
  }

  void take(std::size_t member, std::size_t topic, std::size_t partition) {
    owners_[topic][partition] = member;
    ++load_[member];
  }

  void keep() {
    std::size_t each = total();
    std::size_t longer = 0;
    if (same_ && !input_.members.empty()) {
      longer = each % input_.members.size();
      each /= input_.members.size();
    }
    for (std::size_t m = 0; m < input_.members.size(); ++m) {
      const AssignableMember& member = input_.members[m];
      for (const state::PartitionRef& at : member.current) {
        std::size_t topic = topic_of(member, at.topic);
        if (topic == kNobody || at.partition.value < 0) continue;
        auto partition = static_cast<std::size_t>(at.partition.value);
        if (partition >= owners_[topic].size() || owners_[topic][partition] != kNobody) continue;
        bool extra = load_[m] == each && longer > 0;
        if (load_[m] >= each && !extra) break;
        if (extra) --longer;
        take(m, topic, partition);
        if (extra) break;
      }
    }
  }

  void give_rest() {
    if (same_) {
      Loads loads = loads_of(everybody());
      for (std::size_t t = 0; t < owners_.size(); ++t)
        if (!subscribers_[t].empty()) give_topic(t, loads);
      return;
    }
    // Topics that few can read first, while those few still have room.
    std::vector<std::size_t> order(owners_.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return subscribers_[a].size() < subscribers_[b].size();
    });
    for (std::size_t t : order) {
      if (subscribers_[t].empty()) continue;
      Loads loads = loads_of(subscribers_[t]);
      give_topic(t, loads);
    }
  }

  void give_topic(std::size_t topic, Loads& loads) {
    for (std::size_t p = 0; p < owners_[topic].size(); ++p) {
      if (owners_[topic][p] != kNobody) continue;
      auto [load, member] = *loads.begin();
      loads.erase(loads.begin());
      take(member, topic, p);
      loads.insert({load + 1, member});
    }
  }

  std::vector<std::size_t> everybody() const {
    std::vector<std::size_t> all(input_.members.size());
    for (std::size_t m = 0; m < all.size(); ++m) all[m] = m;
    return all;
  }

  Loads loads_of(const std::vector<std::size_t>& members) const {
    Loads loads;
    for (std::size_t member : members) loads.insert({load_[member], member});
    return loads;
  }

  /// One round over all topics; whether anything moved.
  bool balance() {
    bool moved = false;
    for (std::size_t t = 0; t < owners_.size(); ++t)
      if (subscribers_[t].size() > 1 && balance_topic(t)) moved = true;
    return moved;
  }

  bool balance_topic(std::size_t topic) {
    Loads loads = loads_of(subscribers_[topic]);
    if (loads.rbegin()->first - loads.begin()->first < 2) return false;
    std::map<std::size_t, std::vector<std::size_t>> partitions_of;
    for (std::size_t p = owners_[topic].size(); p-- > 0;)
      partitions_of[owners_[topic][p]].push_back(p);
    bool moved = false;
    // Members without a partition of this topic can only receive, so they leave when they are full.
    while (loads.size() > 1) {
      auto [high, from] = *loads.rbegin();
      auto [low, to] = *loads.begin();
      if (high - low < 2) break;
      std::vector<std::size_t>& own = partitions_of[from];
      loads.erase({high, from});
      if (own.empty()) continue;
      loads.erase(loads.begin());
      owners_[topic][own.back()] = to;
      partitions_of[to].push_back(own.back());
      own.pop_back();
      loads.insert({--load_[from], from});
      loads.insert({++load_[to], to});
      moved = true;
    }
    return moved;
  }

  Assignment result() const {
    Assignment out(input_.members.size());
    for (std::size_t t = 0; t < owners_.size(); ++t)
      for (std::size_t p = 0; p < owners_[t].size(); ++p)
        if (owners_[t][p] != kNobody)
          out[owners_[t][p]].push_back(
              {input_.topics[t].id, PartitionIndex(narrow<std::int32_t>(p))});
    return out;
  }

  const AssignorInput& input_;
  bool same_ = true;
  /// Of each partition, by topic.
  std::vector<std::vector<std::size_t>> owners_;
  std::vector<std::vector<std::size_t>> subscribers_;
  std::vector<std::size_t> load_;
};

}  // namespace

Assignment assign_uniform(const AssignorInput& input) { return Uniform(input).run(); }

}  // namespace weir::engine
