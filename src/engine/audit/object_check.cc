#include "engine/audit/object_check.h"

#include <cstring>
#include <map>

#include "engine/final_region.h"
#include "engine/region_transform.h"
#include "engine/segment.h"
#include "engine/stamp.h"

namespace weir::engine::audit {

namespace {

std::string byte_range(std::uint64_t first, std::uint64_t bytes) {
  return "bytes " + std::to_string(first) + " to " + std::to_string(first + bytes);
}

}  // namespace

SegmentCheck::SegmentCheck(std::string name, Bytes bytes, const Expectation& expected,
                           Findings& findings, CheckCounts& counts)
    : name_(std::move(name)),
      bytes_(bytes),
      expected_(expected),
      findings_(findings),
      counts_(counts) {
  if (!expected.used) return;
  for (const SpanUse& span : expected.used->spans) spans_.emplace(span.first_byte, &span);
}

bool SegmentCheck::step() {
  if (done_) return false;
  if (!opened_) {
    opened_ = true;
    open();
    done_ = !view_.has_value();
  } else if (next_region_ < view_->regions.size()) {
    check_region_bytes(view_->regions[next_region_++]);
  } else {
    finish();
    done_ = true;
  }
  return !done_;
}

void SegmentCheck::open() {
  const UsedObject* used = expected_.used;
  if (used && used->object.bytes != bytes_.size())
    report(FindingKind::wrong_size,
           "has " + std::to_string(bytes_.size()) + " bytes instead of the " +
               std::to_string(used->object.bytes) + " that were committed");
  auto view = decode_segment(bytes_);
  if (!view) {
    report(FindingKind::damaged_segment,
           "is unreadable (" + view.error().message + ")" + affected());
    return;
  }
  check_header(view->header);
  view_ = std::move(*view);
}

void SegmentCheck::finish() {
  std::map<std::uint64_t, const SegmentRegion*> regions;
  for (const SegmentRegion& region : view_->regions) regions.emplace(region.first_byte, &region);
  for (const auto& [first_byte, span] : spans_) {
    auto found = regions.find(first_byte);
    check_span(*span, found == regions.end() ? nullptr : found->second);
  }
}

std::string SegmentCheck::affected() const {
  if (!expected_.used) return {};
  return "; it holds " + describe(expected_.state, expected_.used->spans);
}

void SegmentCheck::report(FindingKind kind, const std::string& what) {
  std::optional<Offset> offset;
  std::string region;
  if (expected_.used && !expected_.used->spans.empty()) {
    const SpanUse& first = expected_.used->spans.front();
    region = describe(expected_.state, first.at);
    offset = first.base;
  }
  findings_.push_back({kind, name_, region, offset, name_ + " " + what});
}

void SegmentCheck::check_header(const SegmentHeader& header) {
  ObjectIdentity identity = identify(name_);
  if (identity.kind == ObjectKind::segment && header.writer != identity.writer)
    report(FindingKind::damaged_segment,
           "was written by broker incarnation " + header.writer.hex() +
               ", which is not the one in its name: another object lies under this name");
  if (expected_.state.position() &&
      header.cluster_tag != state::cluster_tag_of(expected_.state.cluster_id()))
    report(FindingKind::damaged_segment, "belongs to another cluster");
}

Result<void> SegmentCheck::check_batches(const SegmentRegion& region) const {
  Bytes stored = bytes_.subspan(region.first_byte, region.stored_bytes);
  Bytes batches = stored;
  SharedBytes restored;
  if (region.transform != RegionTransform::none) {
    auto raw = restore_region(SharedBytes::copy_of(stored), region.transform, region.raw_bytes);
    if (!raw) return std::unexpected(raw.error());
    restored = std::move(*raw);
    batches = restored.view();
  }
  if (!region.final_region) return verify_region(batches, region.records);
  Offset base = region.final_region->base;
  return verify_final_region(batches, base, Offset(base.value + region.records));
}

void SegmentCheck::check_region_bytes(const SegmentRegion& region) {
  ++counts_.regions;
  counts_.bytes += region.stored_bytes;
  Result<void> intact = check_region(bytes_, region);
  if (intact) intact = check_batches(region);
  if (intact) return;
  auto span = spans_.find(region.first_byte);
  std::string where = "topic " + region.topic_name + ", partition " +
                      std::to_string(region.at.partition.value) + ", " +
                      byte_range(region.first_byte, region.stored_bytes);
  std::string what = name_ + ", " + where + ": " + intact.error().message;
  std::optional<Offset> offset;
  if (span != spans_.end()) {
    offset = span->second->base;
    what += "; offsets " + std::to_string(span->second->base.value) + " to " +
            std::to_string(span->second->last().value) +
            " answer CORRUPT_MESSAGE until the object is restored from a copy of the store";
  } else if (expected_.used) {
    what += "; no span names this region, so no reader is affected";
  }
  findings_.push_back({FindingKind::damaged_region, name_, where, offset, what});
}

void SegmentCheck::check_span(const SpanUse& span, const SegmentRegion* region) {
  bool same = region && region->at == span.at && region->stored_bytes == span.bytes &&
              region->records == span.records;
  if (same && (!region->final_region || region->final_region->base == span.base)) return;
  std::string where =
      describe(expected_.state, span.at) + ", " + byte_range(span.first_byte, span.bytes);
  std::string what = region ? "another region of " + std::to_string(region->records) +
                                  " records of topic " + region->topic_name + ", partition " +
                                  std::to_string(region->at.partition.value)
                            : std::string("no region");
  findings_.push_back({FindingKind::span_without_region, name_, where, span.base,
                       name_ + ", " + where + ": the log says that offsets " +
                           std::to_string(span.base.value) + " to " +
                           std::to_string(span.last().value) + " lie there, the object has " +
                           what + "; another object lies under this name"});
}

void check_segment(const std::string& name, Bytes bytes, const Expectation& expected,
                   Findings& findings, CheckCounts& counts) {
  SegmentCheck check(name, bytes, expected, findings, counts);
  while (check.step()) {
  }
}

void check_inline(const std::string& name, const state::EntryView& entry,
                  const Expectation& expected, Findings& findings, CheckCounts& counts) {
  const UsedObject& used = *expected.used;
  auto report = [&](FindingKind kind, const SpanUse& span, const std::string& what) {
    std::string where =
        describe(expected.state, span.at) + ", " + byte_range(span.first_byte, span.bytes);
    findings.push_back({kind, name, where, span.base,
                        name + ", inline section, " + where + " (offsets " +
                            std::to_string(span.base.value) + " to " +
                            std::to_string(span.last().value) + "): " + what});
  };
  std::uint64_t tag = 0;
  std::memcpy(&tag, entry.header.nonce.bytes.data(), sizeof tag);
  auto section = state::inline_section(entry);
  for (const SpanUse& span : used.spans) {
    ++counts.regions;
    counts.bytes += span.bytes;
    if (tag != used.object.nonce_tag) {
      report(FindingKind::span_without_region, span, "the entry is another one than was folded");
    } else if (!section) {
      report(FindingKind::damaged_region, span, section.error().message);
    } else if (span.first_byte > section->size() ||
               span.bytes > section->size() - span.first_byte) {
      report(FindingKind::span_without_region, span, "the section ends before");
    } else if (auto intact = verify_region(section->view().subspan(span.first_byte, span.bytes),
                                           span.records);
               !intact) {
      report(FindingKind::damaged_region, span, intact.error().message);
    }
  }
}

}  // namespace weir::engine::audit
