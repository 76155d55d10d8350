#include <boost/json/array.hpp>

#include "cli/inspect.h"
#include "serial/reader.h"
#include "state/commands/append_spans.h"
#include "state/commands/kind.h"
#include "state/entry.h"
#include "state/spans.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

/// What a command body may take in memory when it is shown.
constexpr std::size_t kCommandMemoryMax = std::size_t{64} << 20;

std::string kind_of(std::uint16_t type) {
  auto kind = static_cast<state::command::CommandKind>(type);
  std::string name(state::command::to_string(kind));
  return name.empty() ? "command " + std::to_string(type) : name;
}

/// The spans of an AppendSpans command, and its object; nothing if it does not decode.
void add_spans(const state::EncodedCommand& encoded, FeatureLevel level, json::object& out,
               std::string& text) {
  state::command::AppendSpans command;
  serial::Reader reader(encoded.body, kCommandMemoryMax);
  std::vector<state::NewSpan> spans;
  if (!std::in_range<std::int16_t>(level.value) ||
      !decode(command, reader, static_cast<std::int16_t>(level.value)) ||
      !state::decode_spans(command.columns.view(), spans)) {
    out["problem"] = "does not decode";
    text += ", does not decode";
    return;
  }
  bool is_inline = command.segment_born_position < 0;
  out["inline"] = is_inline;
  if (!is_inline) {
    out["segment_born"] = command.segment_born_position;
    out["segment_counter"] = command.segment_counter;
  }
  json::array list;
  for (const state::NewSpan& span : spans) {
    json::object item{{"topic_id", json_text(span.at.topic.hex())},
                      {"partition", span.at.partition.value},
                      {"bytes", span.bytes},
                      {"records", span.records},
                      {"batches", span.batches},
                      {"max_timestamp_ms", span.max_timestamp_ms}};
    if (span.run) {
      item["producer_id"] = span.run->producer.value;
      item["producer_epoch"] = span.run->epoch.value;
      item["first_sequence"] = span.run->first_sequence;
    }
    list.push_back(std::move(item));
    text += "\n      topic " + span.at.topic.hex() + " partition " +
            std::to_string(span.at.partition.value) + ": " + std::to_string(span.records) +
            " records, " + std::to_string(span.bytes) + " bytes";
  }
  out["spans"] = std::move(list);
}

}  // namespace

Shown show_entry(const std::string& name, const SharedBytes& bytes) {
  auto entry = state::decode_entry(bytes);
  if (!entry) return show_damage(name, bytes.size(), entry.error().message);
  const state::EntryHeader& header = entry->header;
  Shown shown;
  shown.json = {{"object", json_text(name)},
                {"kind", "log entry"},
                {"bytes", bytes.size()},
                {"position", header.position.value},
                {"nonce", json_text(header.nonce.hex())},
                {"previous", json_text(header.previous.hex())},
                {"writer", json_text(header.writer.hex())},
                {"wall_ms", header.wall.value},
                {"level", header.level.value},
                {"inline_bytes", entry->inline_bytes}};
  shown.text = name + "\n  entry " + std::to_string(header.position.value) + " of " +
               std::to_string(bytes.size()) + " bytes (" + std::to_string(entry->inline_bytes) +
               " inline), written by " + header.writer.hex() + " at " +
               std::to_string(header.wall.value) + " ms, nonce " + header.nonce.hex() + "\n";
  json::array commands;
  for (const state::CommandGroup& group : entry->groups) {
    CommandCounter counter = group.first;
    for (const state::EncodedCommand& command : group.commands) {
      json::object item{{"incarnation", json_text(group.incarnation.hex())},
                        {"counter", counter.value},
                        {"command", json_text(kind_of(command.type))},
                        {"bytes", command.body.size()}};
      std::string text = "    " + group.incarnation.hex() + " #" + std::to_string(counter.value) +
                         " " + kind_of(command.type) + ", " + std::to_string(command.body.size()) +
                         " bytes";
      if (command.type == state::command::AppendSpans::kType)
        add_spans(command, header.level, item, text);
      commands.push_back(std::move(item));
      shown.text += text + "\n";
      counter = counter.next();
    }
  }
  shown.json["commands"] = std::move(commands);
  std::string problem;
  if (entry->malformed) problem = "the commands section makes no sense";
  if (entry->inline_bytes > 0)
    if (auto section = state::inline_section(*entry); !section) problem = section.error().message;
  if (problem.empty()) return shown;
  shown.good = false;
  shown.json["problem"] = json_text(problem);
  shown.text += "  DAMAGED: " + problem + "\n";
  return shown;
}

}  // namespace weir::cli
