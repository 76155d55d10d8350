#include <boost/json/array.hpp>

#include "cli/inspect.h"
#include "cli/table.h"
#include "engine/audit/inventory.h"
#include "engine/region_transform.h"
#include "engine/segment.h"
#include "record/batch_view.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

json::array batches_of(Bytes region) {
  json::array out;
  record::BatchIterator batches(region);
  for (auto next = batches.next(); next && *next; next = batches.next()) {
    const record::BatchView& batch = **next;
    auto codec = batch.codec();
    json::object object{{"base_offset", batch.base_offset().value},
                        {"last_offset_delta", batch.last_offset_delta()},
                        {"records", batch.record_count()},
                        {"bytes", batch.size()},
                        {"codec", codec ? json_text(codec::to_string(*codec)) : json_text("?")},
                        {"base_timestamp_ms", batch.base_timestamp().value},
                        {"max_timestamp_ms", batch.max_timestamp().value},
                        {"checksum_ok", batch.checksum_ok()}};
    if (batch.has_producer()) {
      object["producer_id"] = batch.producer_id().value;
      object["producer_epoch"] = batch.producer_epoch().value;
      object["base_sequence"] = batch.base_sequence();
    }
    if (batch.control()) object["control"] = true;
    if (batch.transactional()) object["transactional"] = true;
    if (batch.has_delete_horizon()) object["delete_horizon"] = true;
    out.push_back(std::move(object));
  }
  return out;
}

std::string run_of(const engine::SegmentRegion& region) {
  if (!region.run) return "-";
  return std::to_string(region.run->producer.value) + "/" +
         std::to_string(region.run->epoch.value) + "@" + std::to_string(region.run->first_sequence);
}

json::object region_json(const SharedBytes& bytes, const engine::SegmentRegion& region,
                         const Result<void>& intact) {
  json::object out{{"topic", json_text(region.topic_name)},
                   {"topic_id", json_text(region.at.topic.hex())},
                   {"partition", region.at.partition.value},
                   {"first_byte", region.first_byte},
                   {"bytes", region.stored_bytes},
                   {"raw_bytes", region.raw_bytes},
                   {"transform", static_cast<int>(region.transform)},
                   {"records", region.records},
                   {"min_timestamp_ms", region.min_timestamp_ms},
                   {"max_timestamp_ms", region.max_timestamp_ms},
                   {"intact", intact.has_value()}};
  if (region.run)
    out["run"] = json::object{{"producer_id", region.run->producer.value},
                              {"epoch", region.run->epoch.value},
                              {"first_sequence", region.run->first_sequence}};
  if (!intact) out["problem"] = json_text(intact.error().message);
  if (!intact) return out;
  auto raw = engine::restore_region(bytes.slice(region.first_byte, region.stored_bytes),
                                    region.transform, region.raw_bytes);
  if (raw) out["batches"] = batches_of(raw->view());
  return out;
}

}  // namespace

Shown show_segment(const std::string& name, const SharedBytes& bytes) {
  auto view = engine::decode_segment(bytes.view());
  if (!view) return show_damage(name, bytes.size(), view.error().message);
  Shown shown;
  engine::audit::ObjectIdentity identity = engine::audit::identify(name);
  shown.json = {{"object", json_text(name)},
                {"kind", "segment"},
                {"bytes", bytes.size()},
                {"writer", json_text(view->header.writer.hex())},
                {"level", view->header.level.value},
                {"shard", view->header.shard}};
  shown.text = name + "\n  segment of " + std::to_string(bytes.size()) + " bytes, written by " +
               view->header.writer.hex() + " at level " + std::to_string(view->header.level.value);
  if (identity.kind == engine::audit::ObjectKind::segment) {
    shown.json["born"] = identity.position.value;
    shown.json["counter"] = identity.counter;
    shown.text += ", born at position " + std::to_string(identity.position.value);
  }
  shown.text += "\n";
  Table table({"  TOPIC", "PARTITION", "FIRST_BYTE", "BYTES", "RECORDS", "BATCHES", "MAX_TIMESTAMP",
               "RUN", "CHECK"});
  json::array regions;
  for (const engine::SegmentRegion& region : view->regions) {
    Result<void> intact = engine::check_region(bytes.view(), region);
    shown.good = shown.good && intact.has_value();
    table.add({"  " + region.topic_name, std::to_string(region.at.partition.value),
               std::to_string(region.first_byte), std::to_string(region.stored_bytes),
               std::to_string(region.records), std::to_string(region.batches),
               std::to_string(region.max_timestamp_ms), run_of(region), intact ? "ok" : "DAMAGED"});
    regions.push_back(region_json(bytes, region, intact));
  }
  shown.json["regions"] = std::move(regions);
  shown.json["intact"] = shown.good;
  shown.text += table.text();
  return shown;
}

}  // namespace weir::cli
