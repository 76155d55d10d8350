// ConnectLoad: connections that do nothing, and connections that come and go.
//
// Held ones are opened, then kept for a while. At a rate, connection n is due at its time; it
// shakes hands (ApiVersions) and closes. Its latency is from when it was due until the handshake
// was answered. The first failure ends the run.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "client/cluster.h"
#include "perf/load.h"

namespace weir::perf {

struct ConnectOptions {
  std::vector<rt::Endpoint> bootstrap;
  std::size_t connections = 1;
  Duration hold{};
  /// Connections that come and go, for as long as the others are held; 0 = none.
  double per_second = 0;
  Duration timeout = 30s;
};

class ConnectLoad {
 public:
  /// The cluster is asked for nothing but whether it was shut.
  struct World {
    client::Cluster& cluster;
    rt::Network& network;
  };
  /// All outlive it. `on_held` is called when all are open.
  ConnectLoad(World world, const ConnectOptions& options, std::function<void()> on_held)
      : cluster_(world.cluster),
        network_(world.network),
        options_(options),
        on_held_(std::move(on_held)),
        loop_(cluster_.loop()) {}

  /// Once; `records` of the outcome are connections. Errors: those of connecting.
  rt::Task<Result<Outcome>> run();

 private:
  rt::Task<void> open_held();
  rt::Task<void> come_and_go();
  rt::Task<void> visit(MonoTime due);
  rt::Task<Result<std::unique_ptr<client::Connection>>> open();
  bool goes_on() const { return !failure_ && !cluster_.is_shut(); }

  client::Cluster& cluster_;
  rt::Network& network_;
  const ConnectOptions& options_;
  std::function<void()> on_held_;
  rt::Loop& loop_;
  std::vector<std::unique_ptr<client::Connection>> held_;
  std::size_t claimed_ = 0;
  std::size_t visiting_ = 0;
  std::uint64_t opened_ = 0;
  Outcome outcome_;
  std::optional<Error> failure_;
};

}  // namespace weir::perf
