// Walking the records of what a Consumer fetched.
#include <set>

#include "client/consumer.h"

namespace weir::client {
namespace {

std::unexpected<Error> corrupt(const Fetched& fetched, Offset offset, std::string_view what) {
  return fail(ErrorCode::corrupt,
              fetched.at.topic + " partition " + std::to_string(fetched.at.partition.value) +
                  ": batch at offset " + std::to_string(offset.value) + ": " + std::string(what));
}

/// Which producers' transactional records are aborted at the present place.
class AbortFilter {
 public:
  explicit AbortFilter(const Fetched& fetched)
      : left_(fetched.aborted.begin(), fetched.aborted.end()) {}

  bool drops(const record::BatchView& batch) {
    for (auto item = left_.begin(); item != left_.end();) {
      if (item->second > batch.last_offset()) {
        ++item;
        continue;
      }
      aborting_.insert(item->first);
      item = left_.erase(item);
    }
    if (batch.control()) {
      // The marker that ends the transaction.
      aborting_.erase(batch.producer_id());
      return true;
    }
    return batch.transactional() && aborting_.contains(batch.producer_id());
  }

 private:
  std::multiset<std::pair<ProducerId, Offset>> left_;
  std::set<ProducerId> aborting_;
};

}  // namespace

Result<void> for_each_record(const Fetched& fetched,
                             const std::function<bool(const record::RecordView&)>& visit) {
  record::BatchIterator iterator(fetched.batches.view());
  AbortFilter aborted(fetched);
  for (;;) {
    record::Checked<std::optional<record::BatchView>> batch = iterator.next();
    // Brokers may cut the last batch; it comes whole with the next fetch.
    if (!batch && batch.error() == record::BatchError::cut_off) return {};
    if (!batch) return corrupt(fetched, fetched.from, record::describe(batch.error()));
    if (!*batch) return {};
    const record::BatchView& view = **batch;
    if (view.last_offset() < fetched.from) continue;
    if (!view.checksum_ok())
      return corrupt(fetched, view.base_offset(), "the checksum does not match");
    if (aborted.drops(view)) continue;
    record::Checked<record::RecordReader> reader = record::RecordReader::open(view);
    if (!reader) return corrupt(fetched, view.base_offset(), record::describe(reader.error()));
    for (;;) {
      record::Checked<std::optional<record::RecordView>> record = reader->next();
      if (!record) return corrupt(fetched, view.base_offset(), record::describe(record.error()));
      if (!*record) break;
      if ((*record)->offset < fetched.from) continue;
      if (!visit(**record)) return {};
    }
  }
}

}  // namespace weir::client
