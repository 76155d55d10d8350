#include "engine/audit/finding.h"

namespace weir::engine::audit {

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::damaged_entry: return "damaged_entry";
    case FindingKind::log_gap: return "log_gap";
    case FindingKind::broken_chain: return "broken_chain";
    case FindingKind::damaged_floor: return "damaged_floor";
    case FindingKind::damaged_snapshot: return "damaged_snapshot";
    case FindingKind::missing_snapshot: return "missing_snapshot";
    case FindingKind::digest_mismatch: return "digest_mismatch";
    case FindingKind::missing_object: return "missing_object";
    case FindingKind::wrong_size: return "wrong_size";
    case FindingKind::damaged_segment: return "damaged_segment";
    case FindingKind::damaged_region: return "damaged_region";
    case FindingKind::span_without_region: return "span_without_region";
    case FindingKind::offset_gap: return "offset_gap";
    case FindingKind::wrong_live_bytes: return "wrong_live_bytes";
    case FindingKind::orphan: return "orphan";
    case FindingKind::foreign_object: return "foreign_object";
  }
  return "unknown";
}

}  // namespace weir::engine::audit
