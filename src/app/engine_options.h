// What an engine is told, from what a person set and from the stores that their URLs name.
//
// A directory answers in a millisecond and costs nothing; S3 takes sixty and charges for each
// request; so windows, gaps and time-outs differ by store where nobody said otherwise. Pure.
#pragma once

#include <string>
#include <string_view>

#include "app/options.h"
#include "broker/config/effective_topic_configs.h"
#include "engine/options.h"
#include "objstore/price.h"

namespace weir::app {

/// Of a valid URL.
objstore::StoreKind kind_of(std::string_view url);
/// The defaults for a data store and a log of these kinds.
void suit_stores(objstore::StoreKind store, objstore::StoreKind log, engine::Options& out);

engine::Options engine_options(const BrokerOptions& options, const std::string& version,
                               std::size_t cache_bytes);
engine::MaintenanceOptions maintenance_options(const BrokerOptions& options,
                                               const broker::config::StaticValues& given,
                                               std::uint64_t memory_bytes);

}  // namespace weir::app
