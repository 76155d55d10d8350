#include <algorithm>

#include "base/narrow.h"
#include "engine/assignors/assignor.h"

namespace weir::engine {
namespace {

/// Static members by their instance, then the others by their id.
std::vector<std::size_t> in_order(const AssignorInput& input) {
  std::vector<std::size_t> order(input.members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const AssignableMember& x = input.members[a];
    const AssignableMember& y = input.members[b];
    if (x.instance.has_value() != y.instance.has_value()) return x.instance.has_value();
    return x.instance ? *x.instance < *y.instance : x.id < y.id;
  });
  return order;
}

}  // namespace

Assignment assign_range(const AssignorInput& input) {
  std::vector<std::vector<std::size_t>> subscribers(input.topics.size());
  for (std::size_t member : in_order(input))
    for (std::size_t topic : input.members[member].topics) subscribers[topic].push_back(member);
  Assignment out(input.members.size());
  for (std::size_t t = 0; t < input.topics.size(); ++t) {
    if (subscribers[t].empty()) continue;
    auto count = narrow<std::int32_t>(subscribers[t].size());
    std::int32_t each = input.topics[t].partitions / count;
    std::int32_t longer = input.topics[t].partitions % count;
    std::int32_t next = 0;
    for (std::size_t member : subscribers[t]) {
      std::int32_t length = each + (longer-- > 0 ? 1 : 0);
      for (std::int32_t end = next + length; next < end; ++next)
        out[member].push_back({input.topics[t].id, PartitionIndex(next)});
    }
  }
  return out;
}

Assignment assign(std::string_view assignor, const AssignorInput& input) {
  return assignor == "range" ? assign_range(input) : assign_uniform(input);
}

bool is_assignor(std::string_view name) { return name == "uniform" || name == "range"; }

}  // namespace weir::engine
