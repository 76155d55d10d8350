// Explain: why each object of a bucket is kept or may be deleted (`weir gc --dry-run`).
//
// The one rule for data objects (docs/design.md, 11): a folded state has it unreferenced, and its
// born position lies below the folded horizon. This states the rule for every object; brokers apply
// it, each with its own delays.
#pragma once

#include <string>
#include <vector>

#include "engine/audit/auditor.h"

namespace weir::engine::audit {

enum class Fate : std::uint8_t {
  kept,       // needed
  waits,      // garbage, or perhaps so, and not to be deleted yet
  deletable,  // a broker may delete it now
  untouched,  // nothing of ours
};
std::string_view to_string(Fate fate);

struct Explanation {
  std::string object;
  std::uint64_t bytes = 0;
  ObjectKind kind = ObjectKind::foreign;
  Fate fate = Fate::kept;
  /// "referenced", "awaiting_deletion", "orphan", "kept", "old", "below_floor", …; one word for
  /// programs.
  std::string reason;
  std::string sentence;
};

/// All listed objects, by name. The walk must be complete.
std::vector<Explanation> explain(const Inventory& inventory, const LogWalk& walk,
                                 const References& references);

}  // namespace weir::engine::audit
