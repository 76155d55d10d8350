#include "base/ensure.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace weir {
namespace {
std::atomic<EnsureHook> ensure_hook{nullptr};
}  // namespace

void set_ensure_hook(EnsureHook hook) { ensure_hook.store(hook); }

void ensure_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr,
               "weir: bug: ENSURE(%s) failed at %s:%d; please report it with the lines above\n",
               condition, file, line);
  // The hook is taken out first, so that an ENSURE that fails inside it cannot loop.
  if (EnsureHook hook = ensure_hook.exchange(nullptr)) hook(condition, file, line);
  std::abort();
}

}  // namespace weir
