#include "broker/topic_names.h"

#include <algorithm>
#include <optional>

#include "broker/limits.h"

namespace weir::broker {
namespace {

bool is_legal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

std::string topic_name_problem(std::string_view name) {
  if (name.empty()) return "the topic name is empty";
  if (name == "." || name == "..") return "the topic name may not be \".\" or \"..\"";
  if (name.size() > kTopicNameBytesMax)
    return "the topic name is longer than " + std::to_string(kTopicNameBytesMax) + " characters";
  if (!std::ranges::all_of(name, is_legal))
    return "the topic name has characters other than ASCII letters, digits, '.', '_' and '-'";
  return {};
}

bool is_reserved_topic(std::string_view name) {
  return name == "__consumer_offsets" || name == "__transaction_state" ||
         name == "__cluster_metadata" || name == "__share_group_state";
}

std::string collision_form(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '.', '_');
  return out;
}

std::string colliding_topic(const state::Catalog& catalog, std::string_view name) {
  const std::size_t mark = name.find_first_of("._");
  if (mark == std::string_view::npos) return {};
  const std::string form = collision_form(name);
  const std::string_view prefix = name.substr(0, mark);
  std::string found;
  catalog.visit_topics(prefix, [&](const state::TopicInfo& topic) {
    if (!topic.name.starts_with(prefix)) return false;
    if (topic.name.size() != name.size() || topic.name == name) return true;
    if (collision_form(topic.name) != form) return true;
    found = topic.name;
    return false;
  });
  return found;
}

}  // namespace weir::broker
