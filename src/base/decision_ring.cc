#include "base/decision_ring.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace weir {

std::string_view to_string(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::flush: return "flush";
    case DecisionKind::propose: return "propose";
    case DecisionKind::entry_won: return "entry_won";
    case DecisionKind::entry_lost: return "entry_lost";
    case DecisionKind::fold: return "fold";
    case DecisionKind::barrier: return "barrier";
    case DecisionKind::refusal: return "refusal";
    case DecisionKind::registration: return "registration";
    case DecisionKind::expiry: return "expiry";
    case DecisionKind::park: return "park";
    case DecisionKind::wake: return "wake";
    case DecisionKind::store_retry: return "store_retry";
    case DecisionKind::throttle: return "throttle";
    case DecisionKind::halt: return "halt";
    case DecisionKind::drain: return "drain";
    case DecisionKind::other: return "other";
  }
  return "other";
}

void DecisionRing::record(MonoTime at, DecisionKind kind, Numbers numbers, std::string_view label) {
  std::uint64_t n = recorded_.load(std::memory_order_relaxed);
  Slot& slot = (*slots_)[n % kDecisionsMax];
  Words words{static_cast<std::uint64_t>(at.time_since_epoch().count()),
              static_cast<std::uint64_t>(kind),
              static_cast<std::uint64_t>(numbers.a),
              static_cast<std::uint64_t>(numbers.b),
              static_cast<std::uint64_t>(numbers.c),
              0,
              0};
  // An empty label may have no bytes at all to copy from.
  if (!label.empty())
    std::memcpy(&words[5], label.data(),
                label.size() < kLabelBytesMax ? label.size() : kLabelBytesMax);
  // Odd while the words change; 2n+2 afterwards, which also names the decision in the slot.
  slot.sequence.store(2 * n + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < kWords; ++i) slot.words[i].store(words[i], std::memory_order_relaxed);
  slot.sequence.store(2 * n + 2, std::memory_order_release);
  recorded_.store(n + 1, std::memory_order_release);
}

bool DecisionRing::read(std::uint64_t n, Words& words) const {
  const Slot& slot = (*slots_)[n % kDecisionsMax];
  if (slot.sequence.load(std::memory_order_acquire) != 2 * n + 2) return false;
  for (std::size_t i = 0; i < kWords; ++i) words[i] = slot.words[i].load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return slot.sequence.load(std::memory_order_relaxed) == 2 * n + 2;
}

std::vector<Decision> DecisionRing::last(std::size_t count_max) const {
  std::uint64_t end = recorded();
  std::uint64_t count = end < kDecisionsMax ? end : kDecisionsMax;
  if (count > count_max) count = count_max;
  std::vector<Decision> decisions;
  decisions.reserve(count);
  for (std::uint64_t n = end - count; n < end; ++n) {
    Words words;
    if (!read(n, words)) continue;
    char label[kLabelBytesMax];
    std::memcpy(label, &words[5], kLabelBytesMax);
    decisions.push_back({.at = MonoTime(Duration(static_cast<std::int64_t>(words[0]))),
                         .kind = static_cast<DecisionKind>(words[1]),
                         .a = static_cast<std::int64_t>(words[2]),
                         .b = static_cast<std::int64_t>(words[3]),
                         .c = static_cast<std::int64_t>(words[4]),
                         .label = std::string(label, strnlen(label, kLabelBytesMax))});
  }
  return decisions;
}

void DecisionRing::dump(int fd) const {
  std::uint64_t end = recorded();
  std::uint64_t n = end < kDecisionsMax ? 0 : end - kDecisionsMax;
  for (; n < end; ++n) {
    Words words;
    if (!read(n, words)) continue;
    char label[kLabelBytesMax + 1] = {};
    std::memcpy(label, &words[5], kLabelBytesMax);
    char line[200];
    int length = std::snprintf(
        line, sizeof line, "decision %s #%llu at=%lld %s a=%lld b=%lld c=%lld %s\n", name_.c_str(),
        static_cast<unsigned long long>(n), static_cast<long long>(words[0]),
        to_string(static_cast<DecisionKind>(words[1])).data(), static_cast<long long>(words[2]),
        static_cast<long long>(words[3]), static_cast<long long>(words[4]), label);
    if (length <= 0) continue;
    auto bytes = static_cast<std::size_t>(length) < sizeof line ? static_cast<std::size_t>(length)
                                                                : sizeof line - 1;
    if (::write(fd, line, bytes) < 0) return;
  }
}

}  // namespace weir
