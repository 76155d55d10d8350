// Any bytes as a snapshot, with checksums as they are and set right. What loads must be a state
// that can be written again and goes on folding.
#include <cstddef>
#include <cstdint>

#include "state/snapshot/snapshot.h"
#include "state/testing/fix_checksums.h"
#include "state/testing/random_log.h"

namespace weir::state {
namespace {

void go_on(State& state) {
  SnapshotWriter writer(state);
  writer.step(3);
  EntryView entry;
  entry.header.position = state.position()->next();
  state.apply(entry);
  while (!writer.step(1'000)) {
  }
  ENSURE(load_snapshot(writer.finish().flatten()).has_value());
}

}  // namespace
}  // namespace weir::state

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::SharedBytes bytes = weir::SharedBytes::copy_of(std::as_bytes(std::span(data, size)));
  for (int round = 0; round < 2; ++round) {
    weir::Result<weir::state::State> state = weir::state::load_snapshot(bytes);
    if (state && state->position()->value < UINT64_MAX) weir::state::go_on(*state);
    weir::state::testing::fix_snapshot(bytes.mutable_view());
  }
  return 0;
}
