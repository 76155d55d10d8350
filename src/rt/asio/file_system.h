// PosixFileSystem: the file system of this machine. Stateless and thread-safe; its calls block.
#pragma once

#include "rt/files.h"

namespace weir::rt::asio {

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> link(const std::string& from, const std::string& to) override;
  Result<void> remove(const std::string& path) override;
  Result<void> make_directories(const std::string& path) override;
  Result<void> sync_directory(const std::string& path) override;
  Result<std::vector<Item>> list(const std::string& path) override;
  Result<std::string> kind(const std::string& path) override;
};

}  // namespace weir::rt::asio
