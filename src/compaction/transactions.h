// Transactions: which batches belong to aborted transactions, and which markers still have data.
//
// One walk over batches in offset order. Data of an aborted transaction never counts: neither as
// the last value of a key, nor as something to keep. A marker is needed as long as a batch of its
// transaction is there, for consumers would otherwise take an aborted batch for a committed one;
// after that it goes like a tombstone (KIP-98, KIP-534). Only decided transactions are walked: the
// caller stops at the last stable offset.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "base/ids.h"
#include "record/batch_view.h"

namespace weir::compaction {

struct AbortedTransaction {
  ProducerId producer;
  Offset first;
  /// Of its marker.
  Offset last;

  friend bool operator==(const AbortedTransaction&, const AbortedTransaction&) = default;
};

class Transactions {
 public:
  explicit Transactions(const std::vector<AbortedTransaction>& aborted);

  /// For each data batch. True: it belongs to an aborted transaction.
  bool on_data(const record::BatchView& batch);
  /// For each control batch. True: nothing of its transaction is left, so it may go.
  bool on_control(const record::BatchView& batch);

 private:
  /// By producer, rising.
  std::map<ProducerId, std::vector<AbortedTransaction>> aborted_;
  /// Producers whose transaction, not yet ended by a marker, has a batch that was walked over.
  std::set<ProducerId> with_data_;
};

}  // namespace weir::compaction
