// Fuzzes what a peer controls first: a request's header and body, of any key and version.
//
// Whatever decodes must encode again in the same version, and that must decode to its end: so no
// input reaches a state that our own encoder refuses.
#include <cstddef>
#include <cstdint>

#include "wire/headers.h"
#include "wire/recode_table.h"

namespace weir::wire {
namespace {

const Recoder* request_of(std::int16_t key) {
  for (const Recoder& recoder : kRecoders) {
    if (recoder.request_key == key) return &recoder;
  }
  return nullptr;
}

void run(Bytes input) {
  serial::Reader reader(SharedBytes::copy_of(input));
  const Result<RequestStart> start = decode_request_start(reader);
  if (!start || !start->version_served()) return;
  const std::int16_t version = start->header.request_api_version;
  const Recoder* recoder = request_of(start->api->key);
  ENSURE(recoder != nullptr);
  serial::Writer writer;
  if (!recoder->recode(reader, writer, version)) return;
  const Result<BytesChain> again = writer.finish();
  ENSURE(again.has_value());
  serial::Reader second(again->flatten());
  serial::Writer last;
  ENSURE(recoder->recode(second, last, version));
  ENSURE(second.expect_end());
  ENSURE(last.size() == again->size());
}

}  // namespace
}  // namespace weir::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::wire::run(std::as_bytes(std::span(data, size)));
  return 0;
}
