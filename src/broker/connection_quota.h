// ConnectionQuota: how many connections there are, in all and from each address.
//
// Thread-safe: taken where connections are accepted, given back on their lanes.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

#include "broker/server_options.h"

namespace weir::broker {

class ConnectionQuota {
 public:
  explicit ConnectionQuota(const ServerOptions& options) : options_(options) {}

  bool full() const {
    std::lock_guard lock(mutex_);
    return total_ >= options_.connections_max;
  }
  /// False if `host` has as many as it may.
  bool take(const std::string& host) {
    std::lock_guard lock(mutex_);
    auto limit = options_.per_ip_overrides.find(host);
    const std::size_t most =
        limit == options_.per_ip_overrides.end() ? options_.connections_per_ip_max : limit->second;
    std::size_t& count = by_host_[host];
    if (count >= most) {
      if (count == 0) by_host_.erase(host);
      return false;
    }
    ++count;
    ++total_;
    return true;
  }
  void give_back(const std::string& host) {
    std::lock_guard lock(mutex_);
    --total_;
    auto found = by_host_.find(host);
    if (--found->second == 0) by_host_.erase(found);
  }
  std::size_t total() const {
    std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  const ServerOptions& options_;
  mutable std::mutex mutex_;
  std::size_t total_ = 0;
  std::unordered_map<std::string, std::size_t> by_host_;
};

}  // namespace weir::broker
