// What the commands of a log entry say, in the fields that a person asks about. Those that are not
// here are shown by name and size.
#include <boost/json/array.hpp>
#include <chrono>
#include <cstdio>

#include "cli/inspect.h"
#include "serial/reader.h"
#include "state/commands/advance_clock.h"
#include "state/commands/advance_horizon.h"
#include "state/commands/advance_start.h"
#include "state/commands/append_spans.h"
#include "state/commands/commit_offsets.h"
#include "state/commands/consumer_group_heartbeat.h"
#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_topics.h"
#include "state/commands/genesis.h"
#include "state/commands/join_group.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/register_broker.h"
#include "state/commands/replace_spans.h"
#include "state/spans.h"

namespace weir::cli {
namespace {

namespace json = boost::json;
using namespace state::command;

/// What a command body may take in memory when it is shown.
constexpr std::size_t kCommandMemoryMax = std::size_t{64} << 20;

/// Where a description is written.
struct Out {
  json::object& json;
  std::string& text;
  TopicNames& names;

  std::string topic(const TopicId& id) const {
    auto found = names.find(id);
    return found == names.end() ? id.hex() : found->second;
  }
  json::object topic_json(const TopicId& id) const {
    json::object out{{"topic_id", json_text(id.hex())}};
    if (auto found = names.find(id); found != names.end()) out["topic"] = json_text(found->second);
    return out;
  }
  void line(const std::string& words) const { text.append("\n      ").append(words); }
};

void describe(const Genesis& in, const Out& out) {
  out.json["cluster_id"] = json_text(in.cluster_id);
  out.line("cluster " + in.cluster_id + ", made at " + utc_text(in.created_ms));
}

void describe(const RegisterBroker& in, const Out& out) {
  json::array endpoints;
  std::string where;
  for (const auto& at : in.endpoints) {
    std::string address = at.host + ":" + std::to_string(at.port);
    where.append(" ").append(address);
    endpoints.push_back(json_text(address));
  }
  out.json["version"] = json_text(in.software_version);
  out.json["endpoints"] = std::move(endpoints);
  out.line("version " + in.software_version + ", at" + where);
}

void describe(const CreateTopics& in, const Out& out) {
  json::array topics;
  for (const auto& topic : in.topics) {
    out.names[topic.topic_id] = topic.name;
    json::object item = out.topic_json(topic.topic_id);
    item["partitions"] = topic.partitions;
    topics.push_back(std::move(item));
    out.line("topic " + topic.name + ", id " + topic.topic_id.hex() + ", " +
             std::to_string(topic.partitions) + " partitions");
  }
  out.json["topics"] = std::move(topics);
}

void describe(const DeleteTopics& in, const Out& out) {
  json::array topics;
  for (const Uuid& id : in.topic_ids) {
    topics.push_back(out.topic_json(id));
    out.line("topic " + out.topic(id));
  }
  out.json["topics"] = std::move(topics);
}

void describe(const CreatePartitions& in, const Out& out) {
  json::array topics;
  for (const auto& topic : in.topics) {
    json::object item = out.topic_json(topic.topic_id);
    item["partitions"] = topic.partitions;
    topics.push_back(std::move(item));
    out.line("topic " + out.topic(topic.topic_id) + " to " + std::to_string(topic.partitions));
  }
  out.json["topics"] = std::move(topics);
}

void describe(const AdvanceStart& in, const Out& out) {
  json::array list;
  for (const auto& at : in.partitions) {
    json::object item = out.topic_json(at.topic_id);
    item["partition"] = at.partition;
    item["start_offset"] = at.start_offset;
    list.push_back(std::move(item));
    out.line("topic " + out.topic(at.topic_id) + " partition " + std::to_string(at.partition) +
             ": from offset " + std::to_string(at.start_offset));
  }
  out.json["partitions"] = std::move(list);
}

void describe(const NoteSnapshot& in, const Out& out) {
  out.json["snapshot_position"] = in.snapshot_position;
  out.json["snapshot_bytes"] = in.bytes;
  out.line("at position " + std::to_string(in.snapshot_position) + ", " + std::to_string(in.bytes) +
           " bytes");
}

void describe(const AdvanceHorizon& in, const Out& out) {
  out.json["horizon"] = in.horizon;
  out.line("to position " + std::to_string(in.horizon));
}

void describe(const AdvanceClock& in, const Out& out) {
  out.json["wall_ms"] = in.wall_ms;
  out.json["wall"] = json_text(utc_text(in.wall_ms));
  out.line("to " + utc_text(in.wall_ms));
}

void describe(const CommitOffsets& in, const Out& out) {
  out.json["group"] = json_text(in.group_id);
  json::array list;
  for (const auto& topic : in.topics)
    for (const auto& partition : topic.partitions) {
      json::object item = out.topic_json(topic.topic_id);
      item["partition"] = partition.partition;
      item["offset"] = partition.offset;
      list.push_back(std::move(item));
      out.line("group " + in.group_id + ", topic " + out.topic(topic.topic_id) + " partition " +
               std::to_string(partition.partition) + ": offset " +
               std::to_string(partition.offset));
    }
  out.json["offsets"] = std::move(list);
}

void describe(const JoinGroup& in, const Out& out) {
  out.json["group"] = json_text(in.group_id);
  out.json["client_id"] = json_text(in.client_id);
  out.line("group " + in.group_id + ", client " + in.client_id + " at " + in.client_host);
}

void describe(const ConsumerGroupHeartbeat& in, const Out& out) {
  out.json["group"] = json_text(in.group_id);
  out.json["member"] = json_text(in.member_id);
  out.json["member_epoch"] = in.member_epoch;
  out.line("group " + in.group_id + ", member " + in.member_id + ", epoch " +
           std::to_string(in.member_epoch));
}

void describe(const ReplaceSpans& in, const Out& out) {
  json::array list;
  for (const auto& run : in.runs) {
    json::object item = out.topic_json(run.topic_id);
    item["partition"] = run.partition;
    item["base_offset"] = run.base_offset;
    item["end_offset"] = run.end_offset;
    list.push_back(std::move(item));
    out.line("topic " + out.topic(run.topic_id) + " partition " + std::to_string(run.partition) +
             ": offsets " + std::to_string(run.base_offset) + " to " +
             std::to_string(run.end_offset - 1));
  }
  out.json["segment_bytes"] = in.segment_bytes;
  out.json["runs"] = std::move(list);
}

void describe(const AppendSpans& in, const std::vector<state::NewSpan>& spans, const Out& out) {
  bool is_inline = in.segment_born_position < 0;
  out.json["inline"] = is_inline;
  if (!is_inline) {
    out.json["segment_born"] = in.segment_born_position;
    out.json["segment_counter"] = in.segment_counter;
  }
  json::array list;
  for (const state::NewSpan& span : spans) {
    json::object item = out.topic_json(span.at.topic);
    item["partition"] = span.at.partition.value;
    item["bytes"] = span.bytes;
    item["records"] = span.records;
    item["batches"] = span.batches;
    item["max_timestamp_ms"] = span.max_timestamp_ms;
    if (span.run) {
      item["producer_id"] = span.run->producer.value;
      item["producer_epoch"] = span.run->epoch.value;
      item["first_sequence"] = span.run->first_sequence;
    }
    list.push_back(std::move(item));
    out.line("topic " + out.topic(span.at.topic) + " partition " +
             std::to_string(span.at.partition.value) + ": " + std::to_string(span.records) +
             " records, " + std::to_string(span.bytes) + " bytes");
  }
  out.json["spans"] = std::move(list);
}

template <class Command>
bool decode_body(const state::EncodedCommand& encoded, FeatureLevel level, Command& command) {
  serial::Reader reader(encoded.body, kCommandMemoryMax);
  return std::in_range<std::int16_t>(level.value) &&
         decode(command, reader, static_cast<std::int16_t>(level.value));
}

/// Whether it is this command; if so, it is described.
template <class Command>
bool is_described(const state::EncodedCommand& encoded, FeatureLevel level, const Out& out,
                  bool& decodes) {
  if (encoded.type != Command::kType) return false;
  Command command;
  decodes = decode_body(encoded, level, command);
  if constexpr (std::is_same_v<Command, AppendSpans>) {
    std::vector<state::NewSpan> spans;
    decodes = decodes && state::decode_spans(command.columns.view(), spans);
    if (decodes) describe(command, spans, out);
  } else {
    if (decodes) describe(command, out);
  }
  return true;
}

template <class... Commands>
bool describe_any(const state::EncodedCommand& encoded, FeatureLevel level, const Out& out) {
  bool decodes = true;
  (void)(is_described<Commands>(encoded, level, out, decodes) || ...);
  return decodes;
}

}  // namespace

std::string utc_text(std::int64_t millis) {
  namespace chrono = std::chrono;
  // What a damaged entry says may be no date of a calendar.
  constexpr std::int64_t kMillisMax = 253'402'300'799'999;  // the end of the year 9999
  if (millis < 0 || millis > kMillisMax) return std::to_string(millis) + " ms";
  const chrono::sys_time<chrono::milliseconds> at{chrono::milliseconds(millis)};
  const chrono::sys_days day = chrono::floor<chrono::days>(at);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss time(at - day);
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return text;
}

void describe_command(const state::EncodedCommand& encoded, FeatureLevel level, TopicNames& names,
                      json::object& out, std::string& text) {
  if (describe_any<AppendSpans, CommitOffsets, CreateTopics, DeleteTopics, CreatePartitions,
                   AdvanceStart, NoteSnapshot, AdvanceHorizon, AdvanceClock, Genesis,
                   RegisterBroker, JoinGroup, ConsumerGroupHeartbeat, ReplaceSpans>(
          encoded, level, Out{out, text, names}))
    return;
  out["problem"] = "does not decode";
  text += ", does not decode";
}

}  // namespace weir::cli
