// DecisionRing: the last few thousand decisions of a broker, kept for the moment when one of them
// turns out wrong.
//
// Logs are for people and say little; the ring says what was decided, in numbers and with one short
// label: flushes cut, commands offered, entries lost to another writer, barriers, refusals, parked
// and woken fetches. It costs one copy of 64 bytes per decision. `admin` shows it, and a failed
// ENSURE prints it before the process dies.
//
// One writer per ring. Readers on other threads may run meanwhile: each slot carries a sequence
// number that is odd while the slot is being written, so a torn slot is left out. All words are
// relaxed atomics, so that this is no data race.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace weir {

/// What a decision was about; the meaning of `a`, `b` and `c` stands beside each.
enum class DecisionKind : std::uint8_t {
  flush = 1,     // a bytes, b spans, c segments (0 = inline)
  propose,       // a position, b commands, c bytes
  entry_won,     // a position, b commands, c microseconds
  entry_lost,    // a position, b commands kept for the next one
  fold,          // a position, b commands, c microseconds
  barrier,       // a position, b waiters
  refusal,       // a refusal, b command type, c counter
  registration,  // a node id, b position
  expiry,        // a node id, b position
  park,          // a parked fetches, b bytes wanted
  wake,          // a parked fetches, b bytes found
  store_retry,   // a attempt, b milliseconds of pause
  throttle,      // a milliseconds
  halt,          // a position
  drain,         // a parked, b pending
  other,         // as the label says
};
std::string_view to_string(DecisionKind kind);

struct Decision {
  MonoTime at;
  DecisionKind kind = DecisionKind::other;
  std::int64_t a = 0, b = 0, c = 0;
  /// At most 16 bytes are kept; never text of a peer.
  std::string label;
};

class DecisionRing {
 public:
  static constexpr std::size_t kDecisionsMax = 4096;
  static constexpr std::size_t kLabelBytesMax = 16;

  /// `name` tells the rings of several threads apart ("state", "lane-0").
  explicit DecisionRing(std::string name)
      : name_(std::move(name)), slots_(std::make_unique<Slots>()) {}

  struct Numbers {
    std::int64_t a = 0, b = 0, c = 0;
  };
  /// From the ring's one writer only.
  void record(MonoTime at, DecisionKind kind, Numbers numbers, std::string_view label = {});

  const std::string& name() const { return name_; }
  /// Decisions ever recorded.
  std::uint64_t recorded() const { return recorded_.load(std::memory_order_acquire); }
  /// The last ones, oldest first. From any thread.
  std::vector<Decision> last(std::size_t count_max = kDecisionsMax) const;
  /// Prints the ring to a file descriptor without allocating; for the ENSURE hook.
  void dump(int fd) const;

 private:
  static constexpr std::size_t kWords = 7;  // at, kind, a, b, c, label (2)
  using Words = std::array<std::uint64_t, kWords>;
  struct Slot {
    std::atomic<std::uint64_t> sequence{0};
    std::array<std::atomic<std::uint64_t>, kWords> words{};
  };
  using Slots = std::array<Slot, kDecisionsMax>;

  /// The words of decision number `n`, unless they are being, or have been, overwritten.
  bool read(std::uint64_t n, Words& words) const;

  std::string name_;
  std::unique_ptr<Slots> slots_;
  std::atomic<std::uint64_t> recorded_{0};
};

}  // namespace weir
