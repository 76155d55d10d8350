// Any bytes as a log entry, with the header's checksum as it is and set right.
#include <cstddef>
#include <cstdint>

#include "state/entry.h"
#include "state/testing/fix_checksums.h"

using weir::state::EntryView;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::SharedBytes bytes = weir::SharedBytes::copy_of(std::as_bytes(std::span(data, size)));
  for (int round = 0; round < 2; ++round) {
    weir::Result<EntryView> entry = weir::state::decode_entry(bytes);
    if (entry) (void)weir::state::inline_section(*entry);
    weir::state::testing::fix_entry(bytes.mutable_view());
  }
  return 0;
}
