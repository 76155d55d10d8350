// Direct I/O: whole objects and ranges, from or into memory of ours, without the page cache.
//
// The problem: a write through the page cache copies every byte into a fresh page, which on a
// virtual machine the host often has to provide first; that was nine tenths of a broker's processor
// time. The disk itself is faster, but wants aligned memory, offsets and sizes. A body is a chain
// of slices of network buffers, so it is copied into staging memory, which stays warm because it is
// used again and again, and goes to the disk from there. What is left over at the end, less than a
// block, goes through the page cache. Ranges are read with their surrounding blocks.
//
// More than one transfer is under way because several workers make them. Thread-safe.
#pragma once

#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "rt/files.h"

namespace weir::objstore {

/// Aligned memory of kFileStagingBytes for one write at a time and thread. As many as are in use at
/// once exist; at most kFileStagingKeptMax are kept.
class StagingMemory {
 public:
  class Loan {
   public:
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    MutableBytes bytes() const;

   private:
    friend class StagingMemory;
    Loan(StagingMemory& owner, Buffer buffer) : owner_(owner), buffer_(std::move(buffer)) {}
    StagingMemory& owner_;
    Buffer buffer_;
  };
  /// Ends before this object.
  Loan borrow();

 private:
  std::mutex mutex_;
  std::vector<Buffer> free_;
};

/// Writes `body` to the empty `file`, through `staging`, a multiple of blocks. `unsupported`: the
/// file system cannot; some of it may have been written.
Result<void> write_direct(rt::File& file, const BytesChain& body, MutableBytes staging);

/// `length` bytes at `offset`, less if the file ends before. `unsupported` as above.
Result<SharedBytes> read_direct(rt::File& file, std::uint64_t offset, std::size_t length);
/// The same through the page cache.
Result<SharedBytes> read_cached(rt::File& file, std::uint64_t offset, std::size_t length);

}  // namespace weir::objstore
