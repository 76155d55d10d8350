// Strong<Tag, T>: an integer that cannot be mistaken for another kind of integer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace weir {

template <class Tag, class T>
struct Strong {
  T value{};

  constexpr Strong() = default;
  constexpr explicit Strong(T v) : value(v) {}
  friend constexpr auto operator<=>(Strong, Strong) = default;
  /// The next one; positions and offsets are dense.
  constexpr Strong next() const { return Strong(static_cast<T>(value + 1)); }
};

}  // namespace weir

template <class Tag, class T>
struct std::hash<weir::Strong<Tag, T>> {
  std::size_t operator()(weir::Strong<Tag, T> s) const noexcept { return std::hash<T>{}(s.value); }
};
