#include "engine/audit/explain.h"

#include "engine/limits.h"

namespace weir::engine::audit {

namespace {

std::string at(Position position) { return std::to_string(position.value); }

class Explainer {
 public:
  Explainer(const LogWalk& walk, const References& references)
      : walk_(walk), references_(references), horizon_(walk.state().horizon()) {}

  Explanation explain(const ListedObject& object) const {
    Explanation out{.object = object.name, .bytes = object.bytes, .kind = object.identity.kind};
    switch (object.identity.kind) {
      case ObjectKind::segment: segment(object, out); break;
      case ObjectKind::snapshot: snapshot(object, out); break;
      case ObjectKind::log_entry: log_entry(object, out); break;
      case ObjectKind::log_file:
        say(out, Fate::kept, "log_file", "a file of the commit log, which keeps its own files");
        break;
      case ObjectKind::probe:
        say(out, Fate::kept, "probe",
            "of the start-up probe, which tells that this store keeps weir's promises");
        break;
      case ObjectKind::foreign:
        say(out, Fate::untouched, "foreign", "a name that weir does not give; it is left alone");
        break;
    }
    return out;
  }

 private:
  static void say(Explanation& out, Fate fate, std::string reason, std::string sentence) {
    out.fate = fate;
    out.reason = std::move(reason);
    out.sentence = std::move(sentence);
  }

  void segment(const ListedObject& object, Explanation& out) const {
    Position born = object.identity.position;
    bool below = born < horizon_;
    std::string age = below ? "born at position " + at(born) + ", below the horizon " + at(horizon_)
                            : "born at position " + at(born) + ", not below the horizon " +
                                  at(horizon_) + ", so a command on its way could still name it";
    if (auto used = references_.segments.find(object.name); used != references_.segments.end()) {
      say(out, Fate::kept, "referenced",
          "referenced: " + std::to_string(used->second.spans.size()) + " spans name " +
              std::to_string(used->second.live_bytes) + " of its " + std::to_string(object.bytes) +
              " bytes; the first is " + describe(walk_.state(), used->second.spans));
    } else if (references_.awaiting_deletion.contains(object.name)) {
      say(out, below ? Fate::deletable : Fate::waits, "awaiting_deletion",
          "awaiting deletion: no span names it any more; " + age +
              (below ? "; a broker deletes it when the delay for readers in flight is over" : ""));
    } else {
      say(out, below ? Fate::deletable : Fate::waits, "orphan",
          std::string(below ? "orphan" : "perhaps an orphan") +
              ": uploaded, and the log does not know it; " + age +
              (below ? "; a broker deletes it at its next collection" : ""));
    }
  }

  void snapshot(const ListedObject& object, Explanation& out) const {
    std::size_t newer = 0;
    bool usable = false;
    for (const SnapshotFile& file : walk_.snapshots()) {
      if (file.name == object.name) usable = file.usable;
      if (file.usable && file.position > object.identity.position) ++newer;
    }
    if (newer >= kSnapshotsKept) {
      say(out, Fate::deletable, "old",
          "old: " + std::to_string(newer) +
              " newer usable snapshots exist; whoever writes the next one removes it");
    } else if (!usable) {
      say(out, Fate::waits, "damaged",
          "damaged, and kept until " + std::to_string(kSnapshotsKept) + " newer ones exist");
    } else {
      say(out, Fate::kept, "kept",
          "kept: one of the newest " + std::to_string(kSnapshotsKept) +
              ", from which brokers start and up to which the log may be truncated");
    }
  }

  void log_entry(const ListedObject& object, Explanation& out) const {
    Position position = object.identity.position;
    if (position < walk_.floor()) {
      say(out, Fate::deletable, "below_floor",
          "below the floor " + at(walk_.floor()) +
              "; a broker removes it when log.grace has passed since it saw the floor");
      return;
    }
    auto oldest_inline = walk_.state().oldest_inline();
    std::string why = "at or above the floor " + at(walk_.floor());
    if (references_.inlines.contains(position)) {
      why += "; spans name records inside";
    } else if (oldest_inline && position >= *oldest_inline) {
      why += "; the entry " + at(*oldest_inline) + " below it holds records that spans name";
    }
    say(out, Fate::kept, "log", "kept: " + why);
  }

  const LogWalk& walk_;
  const References& references_;
  Position horizon_;
};

}  // namespace

std::string_view to_string(Fate fate) {
  switch (fate) {
    case Fate::kept: return "kept";
    case Fate::waits: return "waits";
    case Fate::deletable: return "deletable";
    case Fate::untouched: return "untouched";
  }
  return "kept";
}

std::vector<Explanation> explain(const Inventory& inventory, const LogWalk& walk,
                                 const References& references) {
  Explainer explainer(walk, references);
  std::vector<Explanation> out;
  out.reserve(inventory.objects.size());
  for (const auto& [name, object] : inventory.objects) out.push_back(explainer.explain(object));
  return out;
}

}  // namespace weir::engine::audit
