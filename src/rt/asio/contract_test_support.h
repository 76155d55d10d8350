// The two worlds in which the contract of rt/ is tested: this machine, and the simulation.
//
// A test of the contract is a coroutine that gets a world's parts as interfaces, so it cannot tell
// which one it runs in.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>

#include "rt/asio/file_system.h"
#include "rt/asio/loop_thread.h"
#include "rt/asio/network.h"
#include "rt/asio/random.h"
#include "rt/asio/workers.h"
#include "rt/sim/file_system.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::rt::asio {

/// What a contract test sees.
struct Parts {
  Loop& loop;
  /// Another thread.
  Loop& other;
  Network& network;
  FileSystem& files;
  Workers& workers;
  Random& random;
  /// An empty directory.
  std::string directory;

  MonoTime soon() const { return loop.now() + 10s; }
};

using Body = Task<void> (*)(Parts&);

/// A directory that goes away with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const char* base = getenv("TMPDIR");
    std::string pattern = std::string(base != nullptr ? base : "/tmp") + "/weir-test-XXXXXX";
    path_ = mkdtemp(pattern.data()) != nullptr ? pattern : "";
  }
  ~TemporaryDirectory() { remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  static void remove_all(const std::string& path) {
    PosixFileSystem files;
    if (auto items = files.list(path)) {
      for (const auto& item : *items) remove_all(path + "/" + item.name);
    }
    EXPECT_TRUE(files.remove(path).has_value());
  }
  std::string path_;
};

class RealWorld {
 public:
  void run(Body body) { block_on(loop_, run_body(body, parts_)); }

 private:
  static Task<int> run_body(Body body, Parts& parts) {
    co_await body(parts);
    co_return 0;
  }

  TemporaryDirectory directory_;
  AsioLoop loop_;
  LoopThread other_{"other"};
  ThreadWorkers workers_{"workers", 2};
  AsioNetwork network_{workers_};
  PosixFileSystem files_;
  SystemRandom random_;
  Parts parts_{loop_, other_.loop(), network_, files_, workers_, random_, directory_.path()};
};

class SimulatedWorld {
 public:
  SimulatedWorld() { EXPECT_TRUE(node_.files().make_directories(parts_.directory).has_value()); }
  ~SimulatedWorld() {
    if (node_.alive() && node_.running() == 0) node_.exit();
  }
  void run(Body body) {
    node_.spawn(body(parts_));
    bool ended = world_.run_while([this] { return node_.running() > 0; }, 24h);
    EXPECT_TRUE(ended) << "the test waits for something that never happens";
  }

 private:
  sim::SimWorld world_{20260101};
  sim::SimNode& node_{world_.start_node({.host = "here"})};
  Parts parts_{node_.loop(),    node_.make_loop(), node_.network(), node_.files(),
               node_.workers(), node_.random(),    "/data"};
};

template <class World>
class Contract : public testing::Test {
 public:
  void run(Body body) { world_.run(body); }

 private:
  World world_;
};

using Worlds = testing::Types<RealWorld, SimulatedWorld>;

struct WorldNames {
  template <class World>
  static std::string GetName(int) {
    return std::is_same_v<World, RealWorld> ? "Real" : "Simulated";
  }
};

}  // namespace weir::rt::asio
