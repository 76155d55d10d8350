#include "app/machine.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <thread>

#include "app/load_settings.h"

namespace weir::app {

namespace {

constexpr std::uint64_t kMemoryDefaultMax = 4ull << 30;

/// "max" and the like are no limit.
std::optional<std::uint64_t> number_in(const Result<std::string>& text) {
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// Whether a comma-separated list has the word.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

/// The least of the limits of a group and of those around it.
std::optional<std::uint64_t> least_limit(const ReadText& read, const std::string& root,
                                         std::string group, std::string_view name) {
  std::optional<std::uint64_t> least;
  for (;;) {
    if (group == "/") group.clear();
    if (auto limit = number_in(read(root + group + "/" + std::string(name))))
      least = std::min(*limit, least.value_or(*limit));
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

std::optional<std::uint64_t> memory_of_group(const ReadText& read) {
  const std::string groups = read("/proc/self/cgroup").value_or("");
  std::optional<std::uint64_t> least;
  // A line: number ":" controllers ":" path. Version 2 has no controllers there.
  for (std::string_view rest = groups; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    std::optional<std::uint64_t> limit;
    if (controllers.empty())
      limit = least_limit(read, "/sys/fs/cgroup", path, "memory.max");
    else if (lists(controllers, "memory"))
      limit = least_limit(read, "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
    if (limit) least = std::min(*limit, least.value_or(*limit));
  }
  return least;
}

std::uint64_t memory_of_machine() {
  const std::uint64_t all = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(all, memory_of_group(read_small_file).value_or(all));
}

unsigned lanes_default() { return std::max(1u, std::thread::hardware_concurrency()); }

std::uint64_t memory_default() { return std::min(memory_of_machine() / 4, kMemoryDefaultMax); }

}  // namespace weir::app
