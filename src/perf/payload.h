// Payload: record values and keys that look like those of a real topic.
//
// Values are slices of a made-up log in JSON, with a vocabulary of uneven frequencies and random
// numbers, so that they compress about as real logs do (zstd: two to four times); or random bytes,
// which do not compress. Keys come from a fixed number of names, evenly or by Zipf's law. Equal
// seeds give equal bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "rt/random.h"

namespace weir::perf {

enum class KeyKind : std::uint8_t { none, uniform, zipf };

struct PayloadOptions {
  std::size_t value_bytes = 1024;
  bool random_bytes = false;
  KeyKind keys = KeyKind::none;
  std::size_t key_count = 10'000;
};

class Payload {
 public:
  Payload(const PayloadOptions& options, std::uint64_t seed);

  /// Valid as long as the Payload.
  Bytes value();
  /// Nothing without keys. Valid until the next call.
  std::optional<std::string_view> key();

 private:
  std::size_t key_number();

  PayloadOptions options_;
  rt::SeededRandom random_;
  std::vector<std::byte> corpus_;
  /// Of key i and all before it, for Zipf's law; the last is 1.
  std::vector<double> cumulated_;
  std::string key_;
};

}  // namespace weir::perf
