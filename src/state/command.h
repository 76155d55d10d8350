// encode_command: a generated command struct as it travels in an entry.
#pragma once

#include "base/ensure.h"
#include "base/ids.h"
#include "base/narrow.h"
#include "serial/writer.h"
#include "state/entry.h"

namespace weir::state {

/// `level` is the cluster's feature level. Requires a command within its limits (texts below 32
/// KiB).
template <class Command>
EncodedCommand encode_command(const Command& command, FeatureLevel level) {
  serial::Writer writer;
  encode(command, writer, narrow<std::int16_t>(level.value));
  Result<BytesChain> bytes = writer.finish();
  ENSURE(bytes.has_value());
  return {Command::kType, bytes->flatten()};
}

}  // namespace weir::state
