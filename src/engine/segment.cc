#include "engine/segment.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/endian.h"
#include "base/narrow.h"
#include "codec/crc32c.h"
#include "serial/reader.h"
#include "serial/writer.h"
#include "state/entry.h"

namespace weir::engine {

namespace {

constexpr std::uint64_t kHeaderMagic = 0x5745495253454731;   // "WEIRSEG1"
constexpr std::uint64_t kTrailerMagic = 0x5745495253454745;  // "WEIRSEGE"
constexpr std::uint16_t kFormat = 1;
/// A region needs at least this many bytes in the footer; bounds the counts before anything is
/// allocated.
constexpr std::size_t kRegionFooterBytesMin = 10;
/// Among a region's flags: it holds final offsets.
constexpr std::uint64_t kFinalFlag = 8;

BytesChain finish(serial::Writer& writer) {
  auto chain = writer.finish();
  ENSURE(chain.has_value());
  return std::move(*chain);
}

SharedBytes header_bytes(const SegmentHeader& header) {
  serial::Writer w;
  w.int64(static_cast<std::int64_t>(kHeaderMagic));
  w.uint16(kFormat);
  w.uint16(header.level.value);
  w.uint32(header.shard);
  w.int64(static_cast<std::int64_t>(header.cluster_tag.low));
  w.int64(static_cast<std::int64_t>(header.cluster_tag.high));
  w.raw(header.writer.view());
  w.uint32(0);  // flags
  w.uint32(0);  // key id
  w.uint32(0);  // reserved
  SharedBytes head = finish(w).flatten();
  w.raw(head.view());
  w.uint32(codec::crc32c(head.view()));
  SharedBytes bytes = finish(w).flatten();
  ENSURE(bytes.size() == kSegmentHeaderBytes);
  return bytes;
}

/// Topics in a table, then one column set per region; a topic's regions follow each other.
SharedBytes footer_bytes(const std::vector<SegmentRegion>& regions) {
  std::map<TopicId, std::uint64_t> topics;
  for (const SegmentRegion& r : regions) topics.emplace(r.at.topic, 0);
  std::map<TopicId, std::string> names;
  for (const SegmentRegion& r : regions) names[r.at.topic] = r.topic_name;
  serial::Writer w;
  w.uvarint(topics.size());
  std::uint64_t number = 0;
  for (auto& [id, index] : topics) {
    index = number++;
    w.uuid(id);
    w.string(serial::Form::compact, names[id], "topic_name");
  }
  w.uvarint(regions.size());
  std::int64_t base_ms = regions.empty() ? 0 : regions.front().max_timestamp_ms;
  w.varlong(base_ms);
  for (const SegmentRegion& r : regions) {
    w.uvarint(topics[r.at.topic]);
    w.uvarint(static_cast<std::uint64_t>(r.at.partition.value));
    w.uvarint(static_cast<std::uint64_t>(r.transform) << 1 | (r.run ? 1 : 0) |
              (r.final_region ? kFinalFlag : 0));
    w.uvarint(r.stored_bytes);
    if (r.transform != RegionTransform::none) w.uvarint(r.raw_bytes);
    w.uint32(r.crc32c);
    w.uvarint(static_cast<std::uint64_t>(r.records));
    w.uvarint(static_cast<std::uint64_t>(r.batches));
    w.varlong(r.max_timestamp_ms - base_ms);
    w.varlong(r.max_timestamp_ms - r.min_timestamp_ms);
    if (r.run) {
      w.uvarint(static_cast<std::uint64_t>(r.run->producer.value));
      w.uvarint(static_cast<std::uint64_t>(r.run->epoch.value));
      w.uvarint(static_cast<std::uint64_t>(r.run->first_sequence));
    }
    if (r.final_region) write_final_region(w, *r.final_region);
  }
  return finish(w).flatten();
}

}  // namespace

BytesChain encode_segment(const SegmentHeader& header, std::vector<SegmentRegion> regions,
                          const BytesChain& data) {
  BytesChain out(header_bytes(header));
  out.append(data);
  std::size_t at = 0;
  for (SegmentRegion& region : regions) {
    region.first_byte = kSegmentHeaderBytes + at;
    at += region.stored_bytes;
  }
  ENSURE(at == data.size());
  SharedBytes footer = footer_bytes(regions);
  out.append(footer);
  serial::Writer w;
  w.uint32(narrow<std::uint32_t>(footer.size()));
  w.uint32(codec::crc32c(footer.view()));
  w.uint16(kFormat);
  w.uint16(0);
  w.uint32(0);
  w.int64(static_cast<std::int64_t>(kTrailerMagic));
  BytesChain trailer = finish(w);
  ENSURE(trailer.size() == kSegmentTrailerBytes);
  out.append(trailer);
  return out;
}

namespace {

std::unexpected<Error> damaged(const char* what) {
  return fail(ErrorCode::corrupt, std::string("segment: ") + what);
}

Result<SegmentHeader> read_header(Bytes segment) {
  if (load_be<std::uint64_t>(segment, 0) != kHeaderMagic)
    return damaged("the header has no magic; not a segment");
  if (load_be<std::uint16_t>(segment, 8) != kFormat)
    return fail(ErrorCode::unsupported, "segment: a format of a later program");
  if (codec::crc32c(segment.first(kSegmentHeaderBytes - 4)) !=
      load_be<std::uint32_t>(segment, kSegmentHeaderBytes - 4))
    return damaged("the header does not match its checksum");
  SegmentHeader header;
  header.level = FeatureLevel(load_be<std::uint16_t>(segment, 10));
  header.shard = load_be<std::uint32_t>(segment, 12);
  header.cluster_tag.low = load_be<std::uint64_t>(segment, 16);
  header.cluster_tag.high = load_be<std::uint64_t>(segment, 24);
  header.writer = Incarnation::from_bytes(segment.subspan(32, 16));
  return header;
}

bool read_run(serial::Reader& r, SegmentRegion& region) {
  std::uint64_t producer = r.uvarint("producer"), epoch = r.uvarint("epoch"),
                sequence = r.uvarint("sequence");
  if (!r.ok() || producer > INT64_MAX || epoch > INT16_MAX || sequence > INT32_MAX) return false;
  region.run = state::ProducerRun{ProducerId(static_cast<std::int64_t>(producer)),
                                  ProducerEpoch(static_cast<std::int16_t>(epoch)),
                                  static_cast<std::int32_t>(sequence)};
  return true;
}

bool read_region(serial::Reader& r, const std::vector<std::pair<TopicId, std::string>>& topics,
                 std::int64_t base_ms, std::uint64_t& at, SegmentRegion& region) {
  std::uint64_t topic = r.uvarint("topic");
  std::uint64_t partition = r.uvarint("partition");
  std::uint64_t flags = r.uvarint("flags");
  std::uint64_t stored = r.uvarint("stored_bytes");
  if (!r.ok() || topic >= topics.size() || partition > INT32_MAX || (flags & ~kFinalFlag) > 5 ||
      stored > UINT32_MAX)
    return false;
  region.at = {topics[topic].first, PartitionIndex(static_cast<std::int32_t>(partition))};
  region.topic_name = topics[topic].second;
  region.transform = static_cast<RegionTransform>((flags & ~kFinalFlag) >> 1);
  region.first_byte = at;
  region.stored_bytes = static_cast<std::uint32_t>(stored);
  std::uint64_t raw = region.transform == RegionTransform::none ? stored : r.uvarint("raw_bytes");
  region.crc32c = r.uint32("crc32c");
  std::uint64_t records = r.uvarint("records");
  std::uint64_t batches = r.uvarint("batches");
  if (!r.ok() || raw > UINT32_MAX || records > INT64_MAX || batches > INT32_MAX) return false;
  region.raw_bytes = static_cast<std::uint32_t>(raw);
  region.records = static_cast<std::int64_t>(records);
  region.batches = static_cast<std::int32_t>(batches);
  // Wrapping arithmetic: the bytes may be anything, and a checksum is no proof of sense.
  region.max_timestamp_ms = static_cast<std::int64_t>(
      static_cast<std::uint64_t>(base_ms) + static_cast<std::uint64_t>(r.varlong("max_timestamp")));
  region.min_timestamp_ms =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(region.max_timestamp_ms) -
                                static_cast<std::uint64_t>(r.varlong("min_timestamp")));
  at += stored;
  if ((flags & 1) != 0 && !read_run(r, region)) return false;
  if ((flags & kFinalFlag) != 0 && !read_final_region(r, region.final_region.emplace()))
    return false;
  return r.ok();
}

}  // namespace

Result<std::uint64_t> segment_footer_bytes(Bytes trailer, std::uint64_t segment_bytes) {
  ENSURE(trailer.size() == kSegmentTrailerBytes);
  if (segment_bytes < kSegmentHeaderBytes + kSegmentTrailerBytes) return damaged("too short");
  if (load_be<std::uint64_t>(trailer, 16) != kTrailerMagic)
    return damaged("no trailer; the upload was cut off");
  std::uint64_t footer_size = load_be<std::uint32_t>(trailer, 0);
  if (footer_size > segment_bytes - kSegmentHeaderBytes - kSegmentTrailerBytes)
    return damaged("footer too long");
  return footer_size;
}

Result<SegmentView> decode_segment(Bytes segment) {
  if (segment.size() < kSegmentHeaderBytes + kSegmentTrailerBytes) return damaged("too short");
  auto footer = segment_footer_bytes(segment.last(kSegmentTrailerBytes), segment.size());
  if (!footer) return std::unexpected(footer.error());
  return decode_segment_ends(segment.first(kSegmentHeaderBytes),
                             segment.last(*footer + kSegmentTrailerBytes), segment.size());
}

Result<SegmentView> decode_segment_ends(Bytes head, Bytes footer_and_trailer,
                                        std::uint64_t segment_bytes) {
  auto header = read_header(head);
  if (!header) return std::unexpected(header.error());
  auto view = decode_segment_footer(footer_and_trailer, segment_bytes);
  if (view) view->header = *header;
  return view;
}

Result<SegmentView> decode_segment_footer(Bytes footer_and_trailer, std::uint64_t segment_bytes) {
  std::size_t footer_size = footer_and_trailer.size() - kSegmentTrailerBytes;
  Bytes footer = footer_and_trailer.first(footer_size);
  Bytes trailer = footer_and_trailer.subspan(footer_size);
  if (codec::crc32c(footer) != load_be<std::uint32_t>(trailer, 4))
    return damaged("the footer does not match its checksum");

  SegmentView view;
  serial::Reader r(SharedBytes::copy_of(footer));
  std::uint64_t topic_count = r.uvarint("topics");
  std::vector<std::pair<TopicId, std::string>> topics;
  for (std::uint64_t i = 0; i < topic_count && r.ok(); ++i) {
    TopicId id = r.uuid("topic_id");
    topics.emplace_back(id, std::string(r.string(serial::Form::compact, "topic_name")));
  }
  std::uint64_t count = r.uvarint("regions");
  if (!r.ok() || count > footer_size / kRegionFooterBytesMin)
    return damaged("the footer does not parse");
  std::int64_t base_ms = r.varlong("base_timestamp");
  std::uint64_t at = kSegmentHeaderBytes;
  for (std::uint64_t i = 0; i < count; ++i)
    if (!read_region(r, topics, base_ms, at, view.regions.emplace_back()))
      return damaged("the footer does not parse");
  if (at != segment_bytes - kSegmentTrailerBytes - footer_size)
    return damaged("the regions do not fill the segment");
  return view;
}

Result<void> check_region(Bytes segment, const SegmentRegion& region) {
  if (region.first_byte > segment.size() ||
      region.stored_bytes > segment.size() - region.first_byte)
    return damaged("a region lies outside");
  if (codec::crc32c(segment.subspan(region.first_byte, region.stored_bytes)) == region.crc32c)
    return {};
  return fail(ErrorCode::corrupt,
              "segment: the region at byte " + std::to_string(region.first_byte) + " (topic " +
                  region.topic_name + ", partition " + std::to_string(region.at.partition.value) +
                  ") does not match its checksum");
}

std::string segment_name(Position born, Incarnation writer, std::uint64_t counter) {
  char position[24];
  std::snprintf(position, sizeof position, "%020llu", static_cast<unsigned long long>(born.value));
  std::string tail = std::string(position) + "-" + writer.hex() + "-" + std::to_string(counter);
  // Spread over key ranges: stores partition by prefix.
  static constexpr char kDigits[] = "0123456789abcdef";
  std::uint64_t h = hash64(as_bytes(tail));
  std::string name = "data/";
  name.push_back(kDigits[h >> 4 & 15]);
  name.push_back(kDigits[h & 15]);
  return name + "/" + tail;
}

std::string segment_name(const state::ObjectRef& object) {
  return segment_name(object.born, object.writer, object.counter);
}

}  // namespace weir::engine
