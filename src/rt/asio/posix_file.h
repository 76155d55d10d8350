// PosixFile: one open descriptor.
#pragma once

#include <string>

#include "rt/files.h"

namespace weir::rt::asio {

class PosixFile final : public File {
 public:
  /// Owns `descriptor`; `path` is for messages.
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixFile() override;
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) override;
  Result<void> write_at(std::uint64_t offset, std::span<const Bytes> parts) override;
  Result<void> set_caching(Caching caching) override;
  Result<void> sync() override;
  Result<std::uint64_t> size() override;
  Result<void> truncate(std::uint64_t size) override;
  Result<std::uint64_t> inode() override;
  Result<bool> is_named() override;
  Result<void> lock_exclusive() override;
  Result<void> lock_shared() override;
  Result<bool> try_lock_exclusive() override;
  Result<void> unlock() override;

 private:
  std::unexpected<Error> failed(int error, const char* what) const;
  Result<void> flock(int operation, const char* what);
  /// After EINTR did not explain it.
  std::unexpected<Error> transfer_failed(int error, const char* what) const;

  int descriptor_;
  Caching caching_ = Caching::on;
  std::string path_;
};

}  // namespace weir::rt::asio
