// The fold is total: any commands section, with all checksums right, folds on a state that has
// topics, producers and brokers; and a second state that folds the same is equal.
//
// The input is taken twice: as a whole entry, and as the bodies of commands of a registered broker
// (first byte: the command's type), so that the handlers are reached.
#include <cstddef>
#include <cstdint>

#include "state/testing/fix_checksums.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;
using testing::plain_span;
using testing::run_of;
using testing::run_span;

void prepare(Cluster& cluster) {
  TopicId topic = cluster.add_topic("t", 3);
  cluster.append({plain_span(topic, 0, 3), run_span(topic, 1, 2, run_of(1, 0, 0))});
  cluster.add_broker(2);
}

/// Cuts the input into commands: a byte of type, two of length, the body.
std::vector<EncodedCommand> commands_of(Bytes input) {
  std::vector<EncodedCommand> commands;
  while (input.size() >= 3 && commands.size() < 100) {
    auto type = std::to_integer<std::uint16_t>(input[0]);
    std::size_t size =
        std::to_integer<std::size_t>(input[1]) | std::to_integer<std::size_t>(input[2]) << 8;
    size = std::min(size, input.size() - 3);
    commands.push_back({type, SharedBytes::copy_of(input.subspan(3, size))});
    input = input.subspan(3 + size);
  }
  return commands;
}

void fold_both(Cluster& a, Cluster& b, const SharedBytes& entry) {
  Folded first = a.fold(entry);
  Folded second = b.fold(entry);
  ENSURE(first.outcomes == second.outcomes);
  ENSURE(a.state().digest() == b.state().digest());
}

void fold_as_commands(Bytes input) {
  Cluster a;
  Cluster b;
  prepare(a);
  prepare(b);
  CommandGroup group{broker_id(1), a.state().last_counter(broker_id(1))->next(),
                     commands_of(input)};
  SharedBytes entry = a.log().entry({group}, testing::filler(10'000));
  fold_both(a, b, entry);
  fold_both(a, b, a.log().entry({group}, testing::filler(100)));
}

void fold_as_entry(Bytes input) {
  SharedBytes bytes = SharedBytes::copy_of(input);
  testing::fix_entry(bytes.mutable_view());
  Result<EntryView> entry = decode_entry(bytes);
  if (!entry) return;
  Cluster cluster;
  prepare(cluster);
  entry->header.position = cluster.state().position()->next();
  cluster.state().apply(*entry);
  State fresh;
  entry->header.position = Position(0);
  fresh.apply(*entry);
}

}  // namespace
}  // namespace weir::state

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::Bytes input = std::as_bytes(std::span(data, size));
  weir::state::fold_as_commands(input);
  weir::state::fold_as_entry(input);
  return 0;
}
