// Entry codec: one object of the commit log. docs/formats/entry.md is the page, entry_golden_test
// the proof.
//
// An entry is a fixed header, a commands section and an inline section (record data of small
// flushes). Replay and pushes carry header and commands only, so everything here works without the
// inline bytes, which have a checksum of their own.
//
// Decoding is total and safe against bombs. Wrong checksums, missing bytes and formats of a later
// program are errors. A commands section whose checksum is right but which does not parse is our
// own bug in some writer: it must not stop a cluster, so it gives a view with `malformed` set and
// no commands, on every broker alike.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace weir::state {

struct EntryHeader {
  /// `cluster_tag_of` the cluster id.
  Hash128 cluster_tag;
  Position position;
  /// Nonce of the entry before; nil at genesis.
  Nonce previous;
  Nonce nonce;
  Incarnation writer;
  WallMillis wall;
  FeatureLevel level;

  friend bool operator==(const EntryHeader&, const EntryHeader&) = default;
};

Hash128 cluster_tag_of(std::string_view cluster_id);

struct EncodedCommand {
  std::uint16_t type = 0;
  /// The generated struct, encoded at the cluster's feature level.
  SharedBytes body;
};

/// Commands of one incarnation, numbered from `first`.
struct CommandGroup {
  Incarnation incarnation;
  CommandCounter first;
  std::vector<EncodedCommand> commands;
};

/// Header and commands are the first part of the chain; `inline_data` follows by reference.
/// Requires groups within the limits of limits.h.
BytesChain encode_entry(const EntryHeader& header, std::span<const CommandGroup> groups,
                        const BytesChain& inline_data);

struct EntryView {
  EntryHeader header;
  /// The commands section is intact but makes no sense; `groups` is empty.
  bool malformed = false;
  /// Bodies share memory with `whole`, or with the decompressed section.
  std::vector<CommandGroup> groups;
  SharedBytes whole;
  /// Where the inline section lies in the entry, whether or not `whole` holds it.
  std::uint32_t inline_offset = 0;
  std::uint32_t inline_bytes = 0;
  std::uint32_t inline_crc = 0;
};

/// `bytes` is an entry with or without its inline section. Errors: corrupt, unsupported.
Result<EntryView> decode_entry(const SharedBytes& bytes);

/// The inline bytes, after checking their checksum. Errors: corrupt (also if `whole` lacks them).
Result<SharedBytes> inline_section(const EntryView& entry);

}  // namespace weir::state
