#include <boost/json/array.hpp>

#include "cli/inspect.h"
#include "state/commands/kind.h"
#include "state/entry.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

std::string kind_of(std::uint16_t type) {
  auto kind = static_cast<state::command::CommandKind>(type);
  std::string name(state::command::to_string(kind));
  return name.empty() ? "command " + std::to_string(type) : name;
}

}  // namespace

Shown show_entry(const std::string& name, const SharedBytes& bytes) {
  TopicNames none;
  return show_entry(name, bytes, none);
}

Shown show_entry(const std::string& name, const SharedBytes& bytes, TopicNames& names) {
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
                {"wall", json_text(utc_text(header.wall.value))},
                {"level", header.level.value},
                {"inline_bytes", entry->inline_bytes}};
  shown.text = name + "\n  entry " + std::to_string(header.position.value) + " of " +
               std::to_string(bytes.size()) + " bytes (" + std::to_string(entry->inline_bytes) +
               " inline), written by " + header.writer.hex() + " at " +
               utc_text(header.wall.value) + ", nonce " + header.nonce.hex() + "\n";
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
      describe_command(command, header.level, names, item, text);
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
