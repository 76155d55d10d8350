#include "engine/audit/inventory.h"

#include <algorithm>

#include "base/units.h"
#include "engine/segment.h"
#include "engine/snapshotter.h"
#include "objstore/probe.h"

namespace weir::engine::audit {

namespace {

constexpr std::string_view kSegments = "data/";
constexpr std::string_view kSnapshots = "snapshot/";
constexpr std::string_view kLog = "log/";
constexpr std::string_view kProbe = "probe/";
constexpr std::size_t kPositionDigits = 20;
constexpr std::size_t kIncarnationDigits = 32;

std::optional<std::uint64_t> digits(std::string_view text) {
  if (text.empty() || text.size() > kPositionDigits) return std::nullopt;
  std::uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value))
      return std::nullopt;
  }
  return value;
}

/// "{position:020}-{incarnation}-{counter}"
bool parse_own_name(std::string_view text, ObjectIdentity& identity) {
  if (text.size() < kPositionDigits + kIncarnationDigits + 3) return false;
  auto position = digits(text.substr(0, kPositionDigits));
  auto writer = Incarnation::from_hex(text.substr(kPositionDigits + 1, kIncarnationDigits));
  auto counter = digits(text.substr(kPositionDigits + kIncarnationDigits + 2));
  if (!position || !writer || !counter) return false;
  identity.position = Position(*position);
  identity.writer = *writer;
  identity.counter = *counter;
  return true;
}

ObjectIdentity identify_log(std::string_view rest) {
  ObjectIdentity identity;
  std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || !digits(rest.substr(0, slash))) return identity;
  std::string_view file = rest.substr(slash + 1);
  auto position = digits(file.substr(0, kPositionDigits));
  if (file.size() == kPositionDigits && position) {
    identity.kind = ObjectKind::log_entry;
    identity.position = Position(*position);
  } else if (file == "floor" || file == "floor.new" || file == "lock" || file == "mark" ||
             (file.ends_with(".wlog") && position)) {
    identity.kind = ObjectKind::log_file;
  }
  return identity;
}

/// `probe/passed`, or `probe/{random id}/…`
ObjectIdentity identify_probe(std::string_view name) {
  ObjectIdentity identity;
  std::string_view rest = name.substr(kProbe.size());
  std::size_t slash = rest.find('/');
  bool of_a_probe = slash != std::string_view::npos && Nonce::from_hex(rest.substr(0, slash));
  if (name == objstore::kProbeMark || of_a_probe) identity.kind = ObjectKind::probe;
  return identity;
}

}  // namespace

std::string_view to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::segment: return "segment";
    case ObjectKind::snapshot: return "snapshot";
    case ObjectKind::log_entry: return "log entry";
    case ObjectKind::log_file: return "log file";
    case ObjectKind::probe: return "probe";
    case ObjectKind::foreign: return "foreign";
  }
  return "foreign";
}

ObjectIdentity identify(std::string_view name) {
  ObjectIdentity identity;
  if (name.starts_with(kLog)) return identify_log(name.substr(kLog.size()));
  if (name.starts_with(kProbe)) return identify_probe(name);
  if (name.starts_with(kSnapshots)) {
    ObjectIdentity found;
    if (parse_own_name(name.substr(kSnapshots.size()), found) &&
        snapshot_name(found.position, found.writer, found.counter) == name) {
      identity = found;
      identity.kind = ObjectKind::snapshot;
    }
  } else if (name.starts_with(kSegments) && name.size() > kSegments.size() + 3) {
    ObjectIdentity found;
    // The two digits in between must be the right ones, or nobody would find the object.
    if (parse_own_name(name.substr(kSegments.size() + 3), found) &&
        segment_name(found.position, found.writer, found.counter) == name) {
      identity = found;
      identity.kind = ObjectKind::segment;
    }
  }
  return identity;
}

void Inventory::add(std::string name, std::uint64_t bytes) {
  ObjectIdentity identity = identify(name);
  if (identity.kind == ObjectKind::log_entry)
    last_entry = std::max(last_entry.value_or(identity.position), identity.position);
  objects.insert_or_assign(name, ListedObject{name, bytes, identity});
}

rt::Task<Result<Inventory>> take_inventory(objstore::ObjectStore& store) {
  Inventory inventory;
  std::string continuation;
  do {
    auto page = co_await store.list("", continuation);
    if (!page) co_return with_context(page.error(), "listing " + store.describe());
    for (objstore::ObjectInfo& object : page->objects)
      inventory.add(std::move(object.name), object.size);
    continuation = std::move(page->next);
  } while (!continuation.empty());
  co_return inventory;
}

}  // namespace weir::engine::audit
