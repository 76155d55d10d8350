// PriceTable: what requests to a store cost, for metrics and for decisions that weigh requests.
//
// Prices are list prices of one region (us-east-1, us-central1) in November 2026 and informative: a
// bill depends on region, contract and taxes. Units are nano-dollars for one request, so that a
// thousand at $0.0004 are 400 each and counters stay whole numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "objstore/request.h"

namespace weir::objstore {

enum class StoreKind : unsigned char { local, s3, s3_express, gcs };
std::string_view to_string(StoreKind kind);

struct PriceTable {
  /// US dollars for 1,000 requests of each verb's class.
  double write = 0;
  double read = 0;
  double list = 0;
  double remove = 0;
  /// US dollars for 10^9 bytes that go in or come out, where a store asks for that.
  double written_gigabyte = 0;
  double read_gigabyte = 0;
  /// US dollars for 10^9 bytes that are stored for a month.
  double stored_gigabyte = 0;

  /// Of one request with so many bytes.
  std::uint64_t nanodollars(Verb verb, std::uint64_t bytes) const;
};

PriceTable list_prices(StoreKind kind);
/// Where the table's numbers were published: page, region, month.
std::string_view price_source(StoreKind kind);

}  // namespace weir::objstore
