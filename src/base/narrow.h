// narrow<T>(): an integer conversion that may not lose anything.
#pragma once

#include <concepts>
#include <utility>

#include "base/ensure.h"

namespace weir {

/// Converts between integer types; a value that does not fit is a bug of ours (check peers' values
/// first).
template <std::integral To, std::integral From>
constexpr To narrow(From value) {
  ENSURE(std::in_range<To>(value));
  return static_cast<To>(value);
}

}  // namespace weir
