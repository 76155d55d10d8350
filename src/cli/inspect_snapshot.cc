#include <boost/json/array.hpp>

#include "cli/inspect.h"
#include "cli/table.h"
#include "state/snapshot/format.h"
#include "state/snapshot/snapshot.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

std::string hex_of(const Hash128& hash) {
  // As bytes of the format: low half first.
  std::uint64_t words[] = {hash.low, hash.high};
  return to_hex(std::as_bytes(std::span(words)));
}

json::array sections_of(const SharedBytes& bytes) {
  json::array out;
  auto header = state::decode_snapshot_header(bytes.view());
  if (!header) return out;
  for (const state::SnapshotSection& section : header->sections)
    out.push_back(json::object{{"kind", section.kind},
                               {"units", section.count},
                               {"bytes", section.bytes},
                               {"first_byte", section.offset}});
  return out;
}

json::array brokers_of(const state::State& state) {
  json::array out;
  for (const state::BrokerInfo& broker : state.brokers()) {
    json::array endpoints;
    for (const state::BrokerEndpoint& endpoint : broker.endpoints)
      endpoints.push_back(
          json_text(endpoint.listener + "=" + endpoint.host + ":" + std::to_string(endpoint.port)));
    out.push_back(json::object{
        {"node_id", broker.node_id.value},
        {"incarnation", json_text(broker.incarnation.hex())},
        {"zone", broker.zone ? json::value(json_text(*broker.zone)) : json::value(nullptr)},
        {"version", json_text(broker.software_version)},
        {"last_sign", broker.last_sign.value},
        {"endpoints", std::move(endpoints)}});
  }
  return out;
}

struct TopicSum {
  std::int64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t spans = 0;
};

json::object partition_json(const state::State& state, state::PartitionRef at, TopicSum& sum) {
  auto info = state.partition(at);
  if (!info) return {};
  std::uint64_t spans = 0;
  state.visit_spans(at, Offset(0), [&](const state::SpanInfo&) {
    ++spans;
    return true;
  });
  sum.records += info->end.value - info->start.value;
  sum.bytes += info->bytes;
  sum.spans += spans;
  return {{"partition", at.partition.value},
          {"start", info->start.value},
          {"end", info->end.value},
          {"bytes", info->bytes},
          {"spans", spans},
          {"max_timestamp_ms", info->max_timestamp_ms}};
}

json::array topics_of(const state::State& state, Table& table) {
  json::array out;
  state.visit_topics("", [&](const state::TopicInfo& topic) {
    json::object configs;
    for (const auto& [key, value] : topic.configs) configs[key] = json_text(value);
    json::array partitions;
    TopicSum sum;
    for (std::int32_t i = 0; i < topic.partitions; ++i)
      partitions.push_back(partition_json(state, {topic.id, PartitionIndex(i)}, sum));
    table.add({"  " + topic.name, std::to_string(topic.partitions), std::to_string(sum.records),
               std::to_string(sum.bytes), std::to_string(sum.spans)});
    out.push_back(json::object{{"topic", json_text(topic.name)},
                               {"id", json_text(topic.id.hex())},
                               {"replication_factor", topic.replication_factor},
                               {"configs", std::move(configs)},
                               {"partitions", std::move(partitions)}});
    return true;
  });
  return out;
}

}  // namespace

Shown show_snapshot(const std::string& name, const SharedBytes& bytes) {
  auto info = state::read_snapshot_info(bytes);
  if (!info) return show_damage(name, bytes.size(), info.error().message);
  Shown shown;
  shown.json = {{"object", json_text(name)},
                {"kind", "snapshot"},
                {"bytes", bytes.size()},
                {"cluster_id", json_text(info->cluster_id)},
                {"position", info->position.value},
                {"nonce", json_text(info->nonce.hex())},
                {"level", info->level.value},
                {"digest", json_text(hex_of(info->digest))},
                {"sections", sections_of(bytes)}};
  shown.text = name + "\n  snapshot of cluster " + info->cluster_id + " at position " +
               std::to_string(info->position.value) + ", level " +
               std::to_string(info->level.value) + ", " + std::to_string(bytes.size()) +
               " bytes, digest " + hex_of(info->digest) + "\n";
  auto state = state::load_snapshot(bytes);
  if (!state) {
    Shown damage = show_damage(name, bytes.size(), state.error().message);
    shown.good = false;
    shown.json["problem"] = json_text(state.error().message);
    shown.text += damage.text;
    return shown;
  }
  state::StateCounts counts = state->counts();
  shown.json["counts"] =
      json::object{{"topics", counts.topics},     {"partitions", counts.partitions},
                   {"spans", counts.spans},       {"inline_objects", counts.inline_objects},
                   {"segments", counts.segments}, {"producers", counts.producers},
                   {"brokers", counts.brokers}};
  shown.json["horizon"] = state->horizon().value;
  shown.json["placement_epoch"] = state->placement_epoch().value;
  shown.json["brokers"] = brokers_of(*state);
  Table table({"  TOPIC", "PARTITIONS", "RECORDS", "BYTES", "SPANS"});
  shown.json["topics"] = topics_of(*state, table);
  shown.text += "  " + std::to_string(counts.segments) + " segments, " +
                std::to_string(counts.inline_objects) + " inline objects, " +
                std::to_string(counts.producers) + " producers, " + std::to_string(counts.brokers) +
                " brokers, horizon " + std::to_string(state->horizon().value) + "\n" + table.text();
  return shown;
}

}  // namespace weir::cli
