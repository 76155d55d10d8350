// Tables: everything that a State holds, put together. Private to this layer.
#pragma once

#include <optional>
#include <vector>

#include "base/hash.h"
#include "state/brokers/broker_table.h"
#include "state/cluster/digest_votes.h"
#include "state/cluster/log_clock.h"
#include "state/groups/group_table.h"
#include "state/groups/offset_table.h"
#include "state/ledger.h"
#include "state/log/object_table.h"
#include "state/log/partition.h"
#include "state/meta.h"
#include "state/producers/producer_table.h"
#include "state/resources/resource_table.h"
#include "state/topics/topic_table.h"

namespace weir::state {

/// A section of a snapshot that this program does not know: kept, and written back.
struct UnknownSection {
  std::uint16_t kind = 0;
  std::uint64_t count = 0;
  SharedBytes bytes;
};

/// Digests of the last kDigestsKept positions.
class DigestRing {
 public:
  void push(Position at, const Hash128& digest);
  std::optional<Hash128> find(Position at) const;

 private:
  /// The digest of position p at p % kDigestsKept.
  std::vector<Hash128> ring_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

struct Tables {
  Ledger ledger;
  Meta meta;
  Slab<Partition> partitions;
  TopicTable topics{partitions};
  ObjectTable objects;
  ProducerTable producers{partitions};
  BrokerTable brokers;
  ResourceTable resources;
  GroupTable groups;
  OffsetTable offsets{groups};
  LogClock clock;
  DigestVotes digest_votes;
  DigestRing digests;
  std::vector<UnknownSection> unknown_sections;
  std::size_t span_count = 0;

  /// Edits the single values.
  template <class Change>
  void edit_meta(Change&& change) {
    ledger.edit(meta, [&](Meta& unit, EditKey key) { change(unit.change(key)); });
  }
};

}  // namespace weir::state
