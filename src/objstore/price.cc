#include "objstore/price.h"

#include <cmath>

namespace weir::objstore {

std::string_view to_string(StoreKind kind) {
  static constexpr std::array<std::string_view, 4> kNames = {"local", "s3", "s3_express", "gcs"};
  return kNames[static_cast<std::size_t>(kind)];
}

PriceTable list_prices(StoreKind kind) {
  switch (kind) {
    case StoreKind::local: return {};
    case StoreKind::s3:
      return {.write = 0.005, .read = 0.0004, .list = 0.005, .stored_gigabyte = 0.023};
    case StoreKind::s3_express:
      return {.write = 0.00113,
              .read = 0.00003,
              .list = 0.00113,
              .written_gigabyte = 0.0032,
              .read_gigabyte = 0.0006,
              .stored_gigabyte = 0.11};
    case StoreKind::gcs:
      return {.write = 0.005, .read = 0.0004, .list = 0.005, .stored_gigabyte = 0.02};
  }
  return {};
}

std::string_view price_source(StoreKind kind) {
  switch (kind) {
    case StoreKind::local: return "no price";
    case StoreKind::s3: return "aws.amazon.com/s3/pricing, us-east-1, November 2026";
    case StoreKind::s3_express:
      return "aws.amazon.com/s3/pricing, Express One Zone, us-east-1, November 2026";
    case StoreKind::gcs: return "cloud.google.com/storage/pricing, us-central1, November 2026";
  }
  return {};
}

std::uint64_t PriceTable::nanodollars(Verb verb, std::uint64_t bytes) const {
  double thousand = is_put(verb)           ? write
                    : verb == Verb::list   ? list
                    : verb == Verb::remove ? remove
                                           : read;
  double gigabyte = is_put(verb) ? written_gigabyte : read_gigabyte;
  return static_cast<std::uint64_t>(
      std::llround(thousand * 1e6 + gigabyte * static_cast<double>(bytes)));
}

}  // namespace weir::objstore
