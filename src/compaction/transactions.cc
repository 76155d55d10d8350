#include "compaction/transactions.h"

#include <algorithm>

#include "record/marker.h"

namespace weir::compaction {

Transactions::Transactions(const std::vector<AbortedTransaction>& aborted) {
  for (const AbortedTransaction& transaction : aborted)
    aborted_[transaction.producer].push_back(transaction);
  for (auto& [producer, list] : aborted_)
    std::sort(list.begin(), list.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
}

bool Transactions::on_data(const record::BatchView& batch) {
  if (!batch.transactional()) return false;
  with_data_.insert(batch.producer_id());
  auto found = aborted_.find(batch.producer_id());
  if (found == aborted_.end()) return false;
  // The last transaction that begins at or below the batch.
  auto after =
      std::upper_bound(found->second.begin(), found->second.end(), batch.base_offset(),
                       [](Offset offset, const auto& entry) { return offset < entry.first; });
  return after != found->second.begin() && batch.base_offset() <= std::prev(after)->last;
}

bool Transactions::on_control(const record::BatchView& batch) {
  // One without records was emptied before, and one that controls something else is not ours.
  if (batch.record_count() == 0) return true;
  auto marker = record::read_marker(batch);
  if (!marker || !*marker) return false;
  return with_data_.erase(batch.producer_id()) == 0;
}

}  // namespace weir::compaction
