// What a request names several times is answered once: else a small request could ask for one large
// thing a thousand times (answer_room.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir::broker::handlers {

/// Leaves the first item of each key, in order; `merge(first, later)` adds what a later one asks.
template <class Item, class KeyOf, class Merge>
void fold_repeated(std::vector<Item>& items, KeyOf key_of, Merge merge) {
  std::map<std::decay_t<std::invoke_result_t<KeyOf, const Item&>>, std::size_t> seen;
  std::vector<Item> out;
  out.reserve(items.size());
  for (Item& item : items) {
    const auto [at, fresh] = seen.try_emplace(key_of(std::as_const(item)), out.size());
    if (fresh)
      out.push_back(std::move(item));
    else
      merge(out[at->second], item);
  }
  items = std::move(out);
}

template <class Item, class KeyOf>
void fold_repeated(std::vector<Item>& items, KeyOf key_of) {
  fold_repeated(items, key_of, [](Item&, Item&) {});
}

/// For many small numbers: takes as much memory as they do.
inline void fold_repeated(std::vector<std::int32_t>& numbers) {
  std::vector<std::int32_t> sorted = numbers;
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  if (repeated.empty()) return;
  sorted.erase(repeated.begin(), repeated.end());
  std::vector<bool> seen(sorted.size());
  std::erase_if(numbers, [&](std::int32_t number) {
    const auto at =
        static_cast<std::size_t>(std::ranges::lower_bound(sorted, number) - sorted.begin());
    const bool before = seen[at];
    seen[at] = true;
    return before;
  });
}

/// Topics that name partitions: each topic once, with each of its partitions once.
template <class Topic, class KeyOf, class Partitions>
void fold_topics(std::vector<Topic>& topics, KeyOf key_of, Partitions Topic::* partitions) {
  fold_repeated(topics, key_of, [&](Topic& first, Topic& later) {
    auto& to = first.*partitions;
    to.insert(to.end(), (later.*partitions).begin(), (later.*partitions).end());
  });
  for (Topic& topic : topics) fold_repeated(topic.*partitions);
}

}  // namespace weir::broker::handlers
