#include "rt/sim/disk.h"

#include <algorithm>

#include "base/narrow.h"
#include "rt/sim/limits.h"

namespace weir::rt::sim {

namespace {

std::string parent_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::unexpected<Error> absent(const std::string& path) {
  return fail(ErrorCode::not_found, path + ": no such file or directory");
}

std::unexpected<Error> refused(const std::string& path, std::string_view why) {
  return fail(ErrorCode::configuration, path + ": " + std::string(why));
}

/// Whether `directory` is `path` itself or lies above it.
bool contains(const std::string& directory, const std::string& path) {
  return directory == "/" || path == directory || path.starts_with(directory + "/");
}

}  // namespace

SimDisk::SimDisk(std::uint64_t seed) : random_(seed) {
  durable_names_["/"] = names_["/"] = nullptr;
}

std::string SimDisk::normalised(const std::string& path) {
  std::string out;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = std::min(path.find('/', at), path.size());
    std::string part = path.substr(at, end - at);
    if (!part.empty() && part != ".") out += "/" + part;
    at = end + 1;
  }
  return out.empty() ? "/" : out;
}

bool SimDisk::draw_failure() {
  if (failures_ > 0) {
    --failures_;
    return true;
  }
  return error_ppm_ > 0 && random_.below(1'000'000) < error_ppm_;
}

std::uint64_t SimDisk::used() const {
  std::set<const SimInode*> counted;
  std::uint64_t bytes = 0;
  for (const auto& [path, entry] : names_) {
    if (entry == nullptr || !counted.insert(entry.get()).second) continue;
    bytes += (entry->size() + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  }
  return bytes;
}

std::uint64_t SimDisk::free_bytes() const {
  if (bytes_max_ == std::numeric_limits<std::uint64_t>::max()) return bytes_max_;
  std::uint64_t taken = used();
  return taken < bytes_max_ ? bytes_max_ - taken : 0;
}

void SimDisk::apply(Names& names, const Change& change) {
  if (!change.erase.empty()) names.erase(change.erase);
  if (!change.put.empty()) names[change.put] = change.entry;
}

void SimDisk::change(Change change) {
  apply(names_, change);
  journal_.push_back(std::move(change));
}

Result<void> SimDisk::check_parent(const std::string& path) const {
  std::string parent = parent_of(path);
  if (is_directory(parent)) return {};
  if (names_.contains(parent)) return refused(parent, "not a directory");
  return absent(parent);
}

bool SimDisk::is_directory(const std::string& path) const {
  auto found = names_.find(path);
  return found != names_.end() && found->second == nullptr;
}

std::shared_ptr<SimInode> SimDisk::find(const std::string& path) const {
  auto found = names_.find(path);
  return found == names_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<SimInode>> SimDisk::create(const std::string& path) {
  WEIR_TRY(check_parent(path));
  if (is_directory(path)) return refused(path, "is a directory");
  auto inode = std::make_shared<SimInode>(next_inode_++);
  change({{}, path, inode});
  return inode;
}

Result<void> SimDisk::link(const std::string& from, const std::string& to) {
  if (is_directory(from)) return refused(from, "is a directory");
  Entry entry = find(from);
  if (entry == nullptr) return absent(from);
  WEIR_TRY(check_parent(to));
  if (names_.contains(to)) return fail(ErrorCode::already_exists, to + ": file exists");
  change({{}, to, std::move(entry)});
  return {};
}

Result<void> SimDisk::rename(const std::string& from, const std::string& to) {
  if (is_directory(from) || is_directory(to)) {
    return refused(from, "directories are not renamed in the simulation");
  }
  Entry entry = find(from);
  if (entry == nullptr) return absent(from);
  WEIR_TRY(check_parent(to));
  // Two names of one file: POSIX does nothing then.
  if (find(to) == entry) return {};
  change({from, to, std::move(entry)});
  return {};
}

bool SimDisk::has_children(const std::string& path) const {
  auto next = names_.upper_bound(path + "/");
  return next != names_.end() && next->first.starts_with(path + "/");
}

Result<void> SimDisk::remove(const std::string& path) {
  if (!names_.contains(path)) return absent(path);
  if (is_directory(path) && (path == "/" || has_children(path))) {
    return refused(path, "directory not empty");
  }
  change({path, {}, nullptr});
  return {};
}

Result<void> SimDisk::make_directories(const std::string& path) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    std::string prefix = path.substr(0, end);
    if (is_directory(prefix)) continue;
    if (names_.contains(prefix)) return refused(prefix, "not a directory");
    change({{}, prefix, nullptr});
  }
  return {};
}

Result<void> SimDisk::sync_directory(const std::string& path) {
  if (!is_directory(path))
    return names_.contains(path) ? refused(path, "not a directory") : absent(path);
  // From the newest to the oldest, with all earlier changes of the same names: they are one story.
  std::set<std::string> involved;
  std::vector<bool> chosen(journal_.size());
  for (std::size_t i = journal_.size(); i-- > 0;) {
    for (const std::string* name : {&journal_[i].erase, &journal_[i].put}) {
      if (name->empty()) continue;
      bool inside = parent_of(*name) == path || contains(*name, path);
      if (inside || involved.contains(*name)) chosen[i] = true;
    }
    if (!chosen[i]) continue;
    involved.insert(journal_[i].erase);
    involved.insert(journal_[i].put);
    involved.erase("");
  }
  std::vector<Change> left;
  for (std::size_t i = 0; i < journal_.size(); ++i) {
    if (chosen[i]) {
      apply(durable_names_, journal_[i]);
    } else {
      left.push_back(std::move(journal_[i]));
    }
  }
  journal_ = std::move(left);
  return {};
}

Result<std::vector<FileSystem::Item>> SimDisk::list(const std::string& path) {
  if (!is_directory(path))
    return names_.contains(path) ? refused(path, "not a directory") : absent(path);
  std::string prefix = path == "/" ? "/" : path + "/";
  std::vector<FileSystem::Item> items;
  for (auto it = names_.upper_bound(prefix); it != names_.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    std::string name = it->first.substr(prefix.size());
    if (name.find('/') != std::string::npos) continue;
    items.push_back({std::move(name), it->second == nullptr, it->second ? it->second->size() : 0});
  }
  // Nobody may rely on an order.
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random_.below(i)]);
  return items;
}

void SimDisk::lose_power() {
  std::size_t reached = random_.below(journal_.size() + 1);
  for (std::size_t i = 0; i < reached; ++i) apply(durable_names_, journal_[i]);
  journal_.clear();
  std::set<SimInode*> files;
  // In order of names, so a directory comes before what it holds.
  for (auto it = durable_names_.begin(); it != durable_names_.end();) {
    auto parent = durable_names_.find(parent_of(it->first));
    bool reachable = parent != durable_names_.end() && parent->second == nullptr;
    if (reachable && it->second != nullptr && files.insert(it->second.get()).second) {
      it->second->lose_power(random_);
    }
    it = reachable ? std::next(it) : durable_names_.erase(it);
  }
  names_ = durable_names_;
}

}  // namespace weir::rt::sim
