// FetchShare: where a consumer stands in the partitions of one connection.
//
// Builds requests and checks answers, in a fetch session (KIP-227) as real consumers do, so that a
// request names only the partitions that were read. Without one what was read goes to the end of
// the next request, so that no partition waits for ever behind full answers. Offsets must be dense:
// a hole is an error, since a load program reads what a load program has written.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/links.h"
#include "perf/load.h"
#include "record/batch_view.h"

namespace weir::perf {

class FetchShare {
 public:
  /// `share` outlives it.
  FetchShare(Share& share, const std::string& topic) : share_(share), topic_(topic) {}

  /// Finds where to begin, and the end as it is now. Errors: those of list_offsets.
  rt::Task<Result<void>> place(std::int64_t begin, MonoTime deadline);

  using Visit = std::function<Result<void>(const record::BatchView& batch, Offset from)>;
  /// One request and its answer; `visit` sees each batch, with the offset that was asked for. Gives
  /// what was read. Errors: those of the call and of the broker; corrupt (a hole, a damaged batch).
  rt::Task<Result<Outcome>> round(const Visit& visit, MonoTime deadline);

  /// Whether everything that was there at `place` has been read.
  bool at_end() const { return behind_ == 0; }

 private:
  struct Partition {
    PartitionIndex index;
    Offset next, end;
    /// What the session knows; -1 = nothing.
    Offset told{-1};
    /// By the answer that is being taken.
    bool read = false;
  };
  wire::FetchRequest request();
  bool follow_session(const wire::FetchResponse& answer);
  Result<void> take_all(const wire::FetchResponse& answer, const Visit& visit, Outcome& taken);
  Result<void> take(Partition& partition, const BytesChain& records, const Visit& visit,
                    Outcome& taken);
  void rotate();

  Share& share_;
  const std::string& topic_;
  std::vector<Partition> partitions_;
  std::map<PartitionIndex, std::size_t> by_index_;
  /// Places in `partitions_`, as a request lists them.
  std::vector<std::size_t> order_;
  /// Partitions whose end has not been reached.
  std::size_t behind_ = 0;
  /// 0 = none.
  std::int32_t session_ = 0;
  std::int32_t session_epoch_ = 0;
};

}  // namespace weir::perf
