#include "rt/sim/leak.h"

// Present only in builds with a leak checker.
extern "C" __attribute__((weak)) void __lsan_ignore_object(const void* address);

namespace weir::rt::sim {

void leak_on_purpose(const void* address) {
  if (__lsan_ignore_object != nullptr && address != nullptr) __lsan_ignore_object(address);
}

}  // namespace weir::rt::sim
