#include "state/entry.h"

#include <limits>
#include <optional>

#include "base/narrow.h"
#include "codec/codec.h"
#include "codec/crc32c.h"
#include "state/limits.h"
#include "state/little_endian.h"
#include "state/varint.h"

namespace weir::state {
namespace {

constexpr std::string_view kMagic = "WEIRLOG1";
constexpr std::uint16_t kFormat = 1;

// docs/formats/entry.md
constexpr std::size_t kFixedBytes = 108;
constexpr std::size_t kSectionBytes = 16;
constexpr std::size_t kCrcBytes = 4;
constexpr std::uint16_t kCommandsSection = 1;
constexpr std::uint16_t kInlineSection = 2;
constexpr std::uint16_t kCodecNone = 0;
constexpr std::uint16_t kCodecZstd = 4;

struct Section {
  std::uint16_t kind = 0;
  std::uint16_t codec = 0;
  std::uint32_t stored = 0;
  std::uint32_t raw = 0;
  std::uint32_t crc = 0;
  /// Not stored: sections follow each other.
  std::uint64_t offset = 0;
};

// --- encoding ---

std::vector<std::byte> encode_groups(std::span<const CommandGroup> groups) {
  std::vector<std::byte> out;
  append_varint(out, groups.size());
  for (const CommandGroup& group : groups) {
    Bytes incarnation = group.incarnation.view();
    out.insert(out.end(), incarnation.begin(), incarnation.end());
    append_varint(out, group.first.value);
    append_varint(out, group.commands.size());
    for (const EncodedCommand& command : group.commands) {
      append_varint(out, command.type);
      append_varint(out, command.body.size());
      Bytes body = command.body.view();
      out.insert(out.end(), body.begin(), body.end());
    }
  }
  return out;
}

SharedBytes pack_commands(std::span<const CommandGroup> groups, Section& section) {
  std::vector<std::byte> raw = encode_groups(groups);
  section.kind = kCommandsSection;
  section.raw = narrow<std::uint32_t>(raw.size());
  SharedBytes stored;
  if (raw.size() > kEntryCompressBytesMin) {
    Result<Buffer> packed = codec::compress(codec::Codec::zstd, raw);
    if (packed && packed->size() < raw.size()) {
      section.codec = kCodecZstd;
      stored = *packed;
    }
  }
  if (stored.empty()) stored = SharedBytes::copy_of(raw);
  section.stored = narrow<std::uint32_t>(stored.size());
  section.crc = codec::crc32c(stored.view());
  return stored;
}

void put_section(LittleEndianWriter& out, const Section& section) {
  out.put(section.kind);
  out.put(section.codec);
  out.put(section.stored);
  out.put(section.raw);
  out.put(section.crc);
}

// --- decoding ---

std::unexpected<Error> corrupt(std::string what) {
  return fail(ErrorCode::corrupt, "log entry: " + what);
}

Result<std::vector<Section>> read_header(Bytes bytes, EntryHeader& header) {
  if (bytes.size() < kFixedBytes + kCrcBytes) return corrupt("shorter than its header");
  LittleEndianReader in(bytes);
  if (as_text(in.take(8)) != kMagic) return corrupt("wrong magic");
  auto format = in.get<std::uint16_t>();
  auto header_bytes = in.get<std::uint16_t>();
  if (header_bytes < kFixedBytes + kCrcBytes || header_bytes > bytes.size())
    return corrupt("shorter than its header");
  auto crc = LittleEndianReader(bytes.subspan(header_bytes - kCrcBytes)).get<std::uint32_t>();
  if (codec::crc32c(bytes.first(header_bytes - kCrcBytes)) != crc)
    return corrupt("the header's checksum does not match");
  if (format != kFormat)
    return fail(ErrorCode::unsupported, "log entry of format " + std::to_string(format));
  header.level = FeatureLevel(in.get<std::uint16_t>());
  auto flags = in.get<std::uint16_t>();
  auto shard = in.get<std::uint32_t>();
  auto key = in.get<std::uint32_t>();
  if (flags != 0 || shard != 0 || key != 0)
    return fail(ErrorCode::unsupported, "log entry with flags, shard or key of a later program");
  header.cluster_tag.low = in.get<std::uint64_t>();
  header.cluster_tag.high = in.get<std::uint64_t>();
  header.position = Position(in.get<std::uint64_t>());
  header.previous = Nonce::from_bytes(in.take(16));
  header.nonce = Nonce::from_bytes(in.take(16));
  header.writer = Incarnation::from_bytes(in.take(16));
  header.wall = WallMillis(static_cast<std::int64_t>(in.get<std::uint64_t>()));
  auto count = in.get<std::uint32_t>();
  if (count > kEntrySectionsMax || kFixedBytes + count * kSectionBytes + kCrcBytes > header_bytes)
    return corrupt("its section table does not fit its header");
  std::vector<Section> sections(count);
  std::uint64_t offset = header_bytes;
  for (Section& section : sections) {
    section.kind = in.get<std::uint16_t>();
    section.codec = in.get<std::uint16_t>();
    section.stored = in.get<std::uint32_t>();
    section.raw = in.get<std::uint32_t>();
    section.crc = in.get<std::uint32_t>();
    section.offset = offset;
    offset += section.stored;
  }
  if (offset > std::numeric_limits<std::uint32_t>::max())
    return corrupt("its sections are too long");
  return sections;
}

/// The only section of its kind; nothing if there is none, or several.
std::optional<Section> find_section(const std::vector<Section>& sections, std::uint16_t kind) {
  std::optional<Section> found;
  for (const Section& section : sections) {
    if (section.kind != kind) continue;
    if (found) return std::nullopt;
    found = section;
  }
  return found;
}

/// The commands section as it was before compression; nothing if it cannot be.
std::optional<SharedBytes> unpack(const SharedBytes& stored, const Section& section) {
  if (section.raw > kEntryCommandBytesMax) return std::nullopt;
  if (section.codec == kCodecNone && section.stored == section.raw) return stored;
  if (section.codec != kCodecZstd) return std::nullopt;
  Result<Buffer> raw = codec::decompress(codec::Codec::zstd, stored.view(), section.raw);
  if (!raw || raw->size() != section.raw) return std::nullopt;
  return SharedBytes(*raw);
}

bool decode_groups(const SharedBytes& raw, std::vector<CommandGroup>& groups) {
  VarintReader in(raw.view());
  std::uint64_t items = in.next_at_most(kEntryCommandsMax);
  std::uint64_t group_count = items;
  for (std::uint64_t g = 0; g < group_count && in.ok(); ++g) {
    CommandGroup group;
    Bytes incarnation = in.take(16);
    if (!in.ok()) return false;
    group.incarnation = Incarnation::from_bytes(incarnation);
    group.first = CommandCounter(in.next());
    std::uint64_t count = in.next_at_most(kEntryCommandsMax - items);
    items += count;
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
      EncodedCommand command;
      command.type =
          static_cast<std::uint16_t>(in.next_at_most(std::numeric_limits<std::uint16_t>::max()));
      std::uint64_t size = in.next_at_most(in.remaining());
      std::size_t at = in.at();
      in.take(size);
      if (!in.ok()) return false;
      command.body = raw.slice(at, size);
      group.commands.push_back(std::move(command));
    }
    groups.push_back(std::move(group));
  }
  return in.ok() && in.remaining() == 0;
}

bool decode_commands(const SharedBytes& stored, const Section& section,
                     std::vector<CommandGroup>& groups) {
  std::optional<SharedBytes> raw = unpack(stored, section);
  return raw && decode_groups(*raw, groups);
}

}  // namespace

Hash128 cluster_tag_of(std::string_view cluster_id) { return hash128(as_bytes(cluster_id)); }

BytesChain encode_entry(const EntryHeader& header, std::span<const CommandGroup> groups,
                        const BytesChain& inline_data) {
  Section commands;
  SharedBytes packed = pack_commands(groups, commands);
  Section inlined{.kind = kInlineSection};
  inlined.stored = narrow<std::uint32_t>(inline_data.size());
  inlined.raw = inlined.stored;
  inlined.crc = codec::crc32c(inline_data);
  std::uint32_t section_count = inline_data.empty() ? 1 : 2;

  std::size_t header_bytes = kFixedBytes + section_count * kSectionBytes + kCrcBytes;
  Buffer head = Buffer::make(header_bytes + packed.size());
  LittleEndianWriter out(head.data());
  out.put(as_bytes(kMagic));
  out.put(kFormat);
  out.put(narrow<std::uint16_t>(header_bytes));
  out.put(header.level.value);
  out.put(std::uint16_t{0});  // flags
  out.put(std::uint32_t{0});  // shard
  out.put(std::uint32_t{0});  // key id
  out.put(header.cluster_tag.low);
  out.put(header.cluster_tag.high);
  out.put(header.position.value);
  out.put(header.previous.view());
  out.put(header.nonce.view());
  out.put(header.writer.view());
  out.put(static_cast<std::uint64_t>(header.wall.value));
  out.put(section_count);
  put_section(out, commands);
  if (section_count == 2) put_section(out, inlined);
  out.put(codec::crc32c(Bytes(head.data()).first(out.size())));
  out.put(packed.view());

  BytesChain entry(SharedBytes{head});
  entry.append(inline_data);
  return entry;
}

Result<EntryView> decode_entry(const SharedBytes& bytes) {
  EntryView entry;
  Result<std::vector<Section>> sections = read_header(bytes.view(), entry.header);
  if (!sections) return std::unexpected(sections.error());
  entry.whole = bytes;
  // A table that names a kind twice is our own bug in some writer, like commands that do not parse.
  auto twice = [&](std::uint16_t kind) {
    std::size_t count = 0;
    for (const Section& section : *sections) count += section.kind == kind ? 1 : 0;
    return count > 1;
  };
  entry.malformed = twice(kCommandsSection) || twice(kInlineSection);
  if (entry.malformed) return entry;
  if (std::optional<Section> inlined = find_section(*sections, kInlineSection)) {
    entry.malformed = inlined->codec != kCodecNone || inlined->raw != inlined->stored;
    entry.inline_offset = static_cast<std::uint32_t>(inlined->offset);
    entry.inline_bytes = inlined->stored;
    entry.inline_crc = inlined->crc;
  }
  std::optional<Section> commands = find_section(*sections, kCommandsSection);
  if (!commands || entry.malformed) return entry;
  if (commands->offset + commands->stored > bytes.size())
    return corrupt("shorter than its commands");
  SharedBytes stored = bytes.slice(commands->offset, commands->stored);
  if (codec::crc32c(stored.view()) != commands->crc)
    return corrupt("the checksum of its commands does not match");
  if (!decode_commands(stored, *commands, entry.groups)) {
    entry.groups.clear();
    entry.malformed = true;
  }
  return entry;
}

Result<SharedBytes> inline_section(const EntryView& entry) {
  if (std::uint64_t{entry.inline_offset} + entry.inline_bytes > entry.whole.size())
    return corrupt("shorter than its inline data");
  SharedBytes bytes = entry.whole.slice(entry.inline_offset, entry.inline_bytes);
  if (codec::crc32c(bytes.view()) != entry.inline_crc)
    return corrupt("the checksum of its inline data does not match");
  return bytes;
}

}  // namespace weir::state
