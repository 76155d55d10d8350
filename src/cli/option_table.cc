#include "cli/option_table.h"

#include <algorithm>
#include <vector>

namespace weir::cli {
namespace {

/// Levenshtein distance; both words are short (option names).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string environment_name(const OptionSpec& option) {
  std::string name = "WEIR_";
  for (char c : option.name)
    name.push_back(c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  return name;
}

const OptionSpec* CommandSpec::find(std::string_view name) const {
  for (std::span<const OptionSpec> table : {options, common})
    for (const OptionSpec& option : table)
      if (option.name == name) return &option;
  return nullptr;
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kWordBytesMax = 64;
  if (word.size() > kWordBytesMax) return {};
  std::string_view best;
  // A third of the letters may be wrong, at least two.
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    std::size_t d = distance(word, candidate);
    if (d >= best_distance || d >= candidate.size()) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

}  // namespace weir::cli
