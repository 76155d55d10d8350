// Rig: a broker over a FakeEngine in the simulated world, and clients that speak real frames to it.
//
// A test calls plain functions; the virtual clock runs as long as an answer takes. The rig drains
// the server when it dies.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/memory_budget.h"
#include "broker/server.h"
#include "broker/testing/fake_engine.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"
#include "serial/reader.h"
#include "serial/writer.h"
#include "wire/api_table.h"
#include "wire/request_header.h"
#include "wire/response_header.h"

namespace weir::broker::testing {

/// Keeps what is logged.
class RecordingLogger final : public Logger {
 public:
  void write(LogLevel, std::string_view event, std::initializer_list<LogField> fields) override {
    lines.push_back(format_log_line(event, fields));
  }
  std::size_t count(std::string_view part) const {
    std::size_t n = 0;
    for (const std::string& line : lines) n += line.find(part) != std::string::npos ? 1 : 0;
    return n;
  }
  std::vector<std::string> lines;
};

struct RigOptions {
  /// 0: one loop for all. Else that many lanes beside the engine's loop.
  int lanes = 0;
  std::size_t memory = std::size_t{512} << 20;
  config::StaticValues given;
  /// Another engine than the fake one; it lives on the broker's node and outlives the rig.
  std::function<engine::Engine&(rt::sim::SimNode&)> make_engine;
};

class Rig;

/// One TCP connection to the broker.
class RawClient {
 public:
  RawClient(Rig& rig, std::string host, std::uint16_t port);
  ~RawClient() { close(); }
  RawClient(RawClient&& other) = default;

  void send(std::string_view bytes);
  /// Header and body of a request, with its length word.
  template <class Request>
  std::int32_t send(const Request& request, std::int16_t version);
  /// The next response frame without its length; nothing if the connection ends first or nothing
  /// comes within `limit`.
  std::optional<SharedBytes> next_frame(Duration limit = 120s);
  /// Whether the broker closes the connection within `limit`.
  bool closes(Duration limit = 120s);
  void close() {
    if (state_ && state_->stream) state_->stream->close();
  }
  template <class Response>
  Response receive(std::int16_t version);
  template <class Response, class Request>
  Response call(const Request& request, std::int16_t version) {
    send(request, version);
    return receive<Response>(version);
  }

  std::string client_id = "test";

 private:
  struct State {
    std::unique_ptr<rt::Stream> stream;
    std::string in;
    std::string out;
    bool ended = false;
    bool writing = false;
  };
  static rt::Task<void> open(rt::sim::SimNode* node, rt::Endpoint to, std::shared_ptr<State> state);
  static rt::Task<void> pump(std::shared_ptr<State> state);

  Rig& rig_;
  rt::sim::SimNode* node_;
  std::shared_ptr<State> state_;
  std::int32_t next_correlation_ = 1;
};

class Rig {
 public:
  explicit Rig(const HandlerTable& table, RigOptions options = {});
  ~Rig();

  RawClient connect(std::string host = "client") { return {*this, std::move(host), port}; }
  /// Runs the world while `predicate` holds; false if it still holds after `limit`.
  bool run_while(const std::function<bool()>& predicate, Duration limit = 120s) {
    return world.run_while(predicate, limit);
  }
  void drain(Duration limit = 10s);

  rt::sim::SimWorld world{1};
  rt::sim::SimNode& node;
  RecordingLogger log;
  Metrics metrics;
  config::StaticValues given;
  FakeEngine engine;
  MemoryBudget memory;
  Broker broker;
  std::uint16_t port = 0;
  std::unique_ptr<Server> server;

 private:
  static rt::Task<void> start(Rig* rig);
  static rt::Task<void> stop(Rig* rig, Duration limit);

  rt::Loop* first_lane_ = nullptr;
  bool drained_ = false;
};

}  // namespace weir::broker::testing

#include "broker/testing/rig_inl.h"
