// Inventory: the objects of a bucket by what their names say they are.
//
// Names are contracts (docs/formats/), so a listing alone tells segments, snapshots and log entries
// apart. A listing is a picture of no single moment: brokers write and delete meanwhile, and
// whoever uses it asks again before calling something missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "objstore/object_store.h"
#include "rt/task.h"

namespace weir::engine::audit {

enum class ObjectKind : std::uint8_t {
  segment,
  snapshot,
  log_entry,  // one object per entry
  log_file,   // what else a commit log keeps below its prefix: floor, files of the file log
  probe,      // the start-up probe's mark, or what a probe that was cut off left behind
  foreign,    // nothing that weir writes
};
std::string_view to_string(ObjectKind kind);

/// What a name says.
struct ObjectIdentity {
  ObjectKind kind = ObjectKind::foreign;
  /// Segment: born. Snapshot, log entry: its position.
  Position position;
  /// Of segments and snapshots.
  Incarnation writer;
  std::uint64_t counter = 0;
};
/// Total; names that are not exactly as weir writes them are foreign.
ObjectIdentity identify(std::string_view name);

struct ListedObject {
  std::string name;
  std::uint64_t bytes = 0;
  ObjectIdentity identity;
};

struct Inventory {
  /// By name, so that output does not depend on the order of a listing.
  std::map<std::string, ListedObject> objects;
  /// Highest log entry that is an object of its own.
  std::optional<Position> last_entry;

  void add(std::string name, std::uint64_t bytes);
};

/// Lists everything. Errors: of the store.
rt::Task<Result<Inventory>> take_inventory(objstore::ObjectStore& store);

}  // namespace weir::engine::audit
