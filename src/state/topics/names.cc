#include "state/topics/names.h"

#include <algorithm>

#include "state/limits.h"
#include "state/slot_index.h"

namespace weir::state {
namespace {

char canonical(char c) { return c == '.' ? '_' : c; }

}  // namespace

bool is_topic_name(std::string_view name) {
  if (name.empty() || name.size() > kTopicNameBytesMax || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

bool names_collide(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return canonical(x) == canonical(y); });
}

std::uint64_t collision_hash(std::string_view name) {
  std::uint64_t hash = name.size();
  for (char c : name) hash = mix(hash + static_cast<unsigned char>(canonical(c)));
  return hash;
}

}  // namespace weir::state
