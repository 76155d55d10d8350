// ENSURE: an assertion that is on in every build.
//
// A broken invariant of our own must stop the process before it can write anything: the log is the
// only truth, and a broker that no longer knows its own state may not add to it. ENSURE is for bugs
// alone. Whatever a peer, a file or an object store can cause is a `Result`, never an ENSURE.
#pragma once

namespace weir {

/// Called once, before the process aborts; used by `app` to dump the decision ring. It may not
/// allocate much and may not fail. The one process-wide variable of the project: an abort has no
/// object to ask.
using EnsureHook = void (*)(const char* condition, const char* file, int line);
void set_ensure_hook(EnsureHook hook);

[[noreturn]] void ensure_failed(const char* condition, const char* file, int line);

}  // namespace weir

#define ENSURE(condition)                                    \
  do {                                                       \
    if (!(condition)) [[unlikely]]                           \
      ::weir::ensure_failed(#condition, __FILE__, __LINE__); \
  } while (false)
