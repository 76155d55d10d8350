// For tests only: a broker's view of a log directory on a simulated disk.
#pragma once

#include <memory>

#include "commitlog/file_log.h"
#include "rt/sim/file_system.h"
#include "rt/sim/node.h"

namespace weir::commitlog {

class SimClient {
 public:
  SimClient(rt::sim::SimNode& node, FileLogOptions options) {
    auto directory =
        FileLogDirectory::open(node.files(), std::move(options), node.random(), logger_);
    ENSURE(directory.has_value());
    directory_ = std::move(*directory);
    log_ = std::make_unique<FileLog>(node.loop(), node.workers(), *directory_);
  }
  FileLog& log() { return *log_; }

 private:
  NullLogger logger_;
  std::unique_ptr<FileLogDirectory> directory_;
  std::unique_ptr<FileLog> log_;
};

}  // namespace weir::commitlog
