#include "http/server.h"

#include <gtest/gtest.h>

#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::http {
namespace {

using rt::sim::SimNode;
using rt::sim::SimWorld;

/// Answers with the method, the path and the body; "/large" with a megabyte.
class EchoHandler final : public Handler {
 public:
  rt::Task<Response> handle(const Request& request) override {
    ++calls;
    if (request.path == pause_on) co_await rt::sleep_for(*loop, 20s);
    if (request.path == "/large") co_return Response{.body = std::string(1 << 20, 'x')};
    co_return Response{.body = request.method + " " + request.path + " " + request.body};
  }
  int calls = 0;
  std::string pause_on;
  rt::Loop* loop = nullptr;
};

/// What a scripted peer saw.
struct Peer {
  std::string received;
  bool connected = false;
  bool ended = false;
  Duration ended_after{};
};

struct Script {
  std::vector<std::string> pieces;
  Duration pause = 1ms;
  /// Reads nothing for so long, first.
  Duration reads_after = 0ms;
};

rt::Task<void> play(SimNode& node, Script script, Peer& peer) {
  rt::Loop& loop = node.loop();
  MonoTime begin = loop.now();
  auto stream = co_await node.network().connect(loop, {"server", 80}, begin + 1s);
  peer.connected = stream.has_value();
  if (!stream) co_return;
  for (const std::string& piece : script.pieces) {
    Bytes part = as_bytes(piece);
    (void)co_await (*stream)->write(std::span(&part, 1));
    co_await rt::sleep_for(loop, script.pause);
  }
  co_await rt::sleep_for(loop, script.reads_after);
  std::array<std::byte, 8192> bytes;
  for (;;) {
    Result<std::size_t> size = co_await (*stream)->read_some(bytes);
    if (!size || *size == 0) break;
    peer.received.append(as_text(Bytes(bytes).first(*size)));
  }
  peer.ended = true;
  peer.ended_after = loop.now() - begin;
}

rt::Task<void> stop_server(Server& server, bool& stopped) {
  co_await server.stop();
  stopped = true;
}

class ServerTest : public testing::Test {
 protected:
  void start(const ServerLimits& limits = {}) {
    auto listener = server_node_.network().listen(server_node_.loop(), {"server", 80});
    ASSERT_TRUE(listener) << listener.error().message;
    server_ = &server_node_.make<Server>(server_node_.loop(), std::move(*listener), handler_, log_,
                                         limits);
    server_->start();
  }
  void TearDown() override {
    bool stopped = false;
    server_node_.spawn(stop_server(*server_, stopped));
    world_.run_for(1s);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(server_->connections(), 0u);
    server_node_.exit();
  }
  Peer talk(Script script, Duration time = 200s) {
    Peer peer;
    client_.spawn(play(client_, std::move(script), peer));
    world_.run_for(time);
    return peer;
  }

  NullLogger log_;
  EchoHandler handler_;
  SimWorld world_{42};
  SimNode& server_node_ = world_.start_node({.host = "server"});
  SimNode& client_ = world_.start_node({.host = "client"});
  Server* server_ = nullptr;
};

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++n;
  return n;
}

TEST_F(ServerTest, AnswersSeveralRequestsOnOneConnectionInOrder) {
  start();
  Peer peer = talk({.pieces = {"GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\n",
                               "Content-Length: 2\r\n\r\nhi", "GET /c HTTP/1.1\r\n\r\n"}});
  EXPECT_EQ(count(peer.received, "HTTP/1.1 200 OK\r\n"), 3u) << peer.received;
  EXPECT_LT(peer.received.find("GET /a "), peer.received.find("POST /b hi"));
  EXPECT_LT(peer.received.find("POST /b hi"), peer.received.find("GET /c "));
}

TEST_F(ServerTest, ClosesAfterARequestThatAsksForIt) {
  start();
  Peer peer = talk({.pieces = {"GET /a HTTP/1.1\r\nConnection: close\r\n\r\n"}}, 5s);
  EXPECT_TRUE(peer.ended);
  EXPECT_NE(peer.received.find("Connection: close"), std::string::npos);
}

TEST_F(ServerTest, LeavesTheBodyOfAnAnswerToHeadOut) {
  start();
  Peer peer = talk({.pieces = {"HEAD /a HTTP/1.0\r\n\r\n"}});
  EXPECT_NE(peer.received.find("Content-Length: 8\r\n"), std::string::npos) << peer.received;
  EXPECT_TRUE(peer.received.ends_with("\r\n\r\n"));
}

TEST_F(ServerTest, AnswersRubbishOnceAndCloses) {
  start();
  Peer peer = talk({.pieces = {"\x16\x03\x01rubbish\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"}}, 5s);
  EXPECT_TRUE(peer.ended);
  EXPECT_EQ(count(peer.received, "HTTP/1.1 400 Bad Request"), 1u) << peer.received;
  EXPECT_EQ(handler_.calls, 0);
}

TEST_F(ServerTest, ClosesOnAPeerThatNeverFinishesARequest) {
  start({.receive_timeout = 10s, .idle_timeout = 60s});
  std::vector<std::string> slow(100, "X: y\r\n");
  slow.front() = "GET / HTTP/1.1\r\n";
  Peer peer = talk({.pieces = slow, .pause = 1s});
  EXPECT_TRUE(peer.ended);
  EXPECT_EQ(peer.received, "");
  EXPECT_EQ(handler_.calls, 0);
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(ServerTest, ClosesAnIdleConnection) {
  start({.idle_timeout = 60s});
  Peer peer = talk({.pieces = {"GET / HTTP/1.1\r\n\r\n"}});
  EXPECT_TRUE(peer.ended);
  EXPECT_GE(peer.ended_after, 60s);
  EXPECT_LE(peer.ended_after, 62s);
}

TEST_F(ServerTest, GivesUpOnAPeerThatDoesNotRead) {
  start({.send_timeout = 30s});
  std::string many;
  for (int i = 0; i < 20; ++i) many += "GET /large HTTP/1.1\r\n\r\n";
  Peer peer = talk({.pieces = {many}, .reads_after = 100s}, 90s);
  EXPECT_LT(handler_.calls, 20);
  EXPECT_EQ(server_->connections(), 0u);
  world_.run_for(100s);
}

TEST_F(ServerTest, AnswersAHealthCheckBesideAnyNumberOfHalfOpenConnections) {
  start();
  std::vector<Peer> half_open(1'500);
  for (std::size_t i = 0; i < half_open.size(); ++i) {
    std::vector<std::string> begun;
    if (i % 2 == 0) begun = {"GET /a HTTP/1.1\r\n"};
    client_.spawn(play(client_, {.pieces = begun, .pause = 100s}, half_open[i]));
    if (i % 100 == 0) world_.run_for(10ms);
  }
  world_.run_for(1s);
  EXPECT_LE(server_->connections(), 64u);
  Peer health = talk({.pieces = {"GET /healthz HTTP/1.1\r\n\r\n"}}, 100ms);
  EXPECT_NE(health.received.find("200 OK"), std::string::npos) << health.received;
  world_.run_for(6s);
  EXPECT_EQ(server_->connections(), 1u) << "the others had 5 s for a first request";
  world_.run_for(300s);
}

TEST_F(ServerTest, AnIdleConnectionGivesWayToANewOneAndABusyOneDoesNot) {
  start({.connections_max = 2});
  handler_.pause_on = "/slow";
  handler_.loop = &server_node_.loop();
  Peer idle, busy, fresh;
  client_.spawn(play(client_, {.pieces = {"GET /a HTTP/1.1\r\n\r\n"}}, idle));
  client_.spawn(play(client_, {.pieces = {"GET /slow HTTP/1.1\r\n\r\n"}}, busy));
  world_.run_for(1s);
  client_.spawn(play(client_, {.pieces = {"GET /b HTTP/1.1\r\n\r\n"}}, fresh));
  world_.run_for(1s);
  EXPECT_TRUE(idle.ended);
  EXPECT_FALSE(busy.ended);
  EXPECT_NE(fresh.received.find("GET /b"), std::string::npos) << fresh.received;
  world_.run_for(100s);
  EXPECT_NE(busy.received.find("GET /slow"), std::string::npos) << busy.received;
}

TEST_F(ServerTest, TurnsConnectionsAwayWhenAllOthersAreBeingAnswered) {
  start({.connections_max = 2});
  handler_.pause_on = "/slow";
  handler_.loop = &server_node_.loop();
  Peer first, second, third;
  for (Peer* peer : {&first, &second})
    client_.spawn(play(client_, {.pieces = {"GET /slow HTTP/1.1\r\n\r\n"}}, *peer));
  world_.run_for(1s);
  client_.spawn(play(client_, {}, third));
  world_.run_for(1s);
  EXPECT_NE(third.received.find("503 Service Unavailable"), std::string::npos) << third.received;
  EXPECT_TRUE(third.ended);
  EXPECT_FALSE(first.ended);
  world_.run_for(100s);
}

TEST_F(ServerTest, StoppingEndsConnectionsThatWait) {
  start();
  Peer peer;
  client_.spawn(play(client_, {.pieces = {"GET /a HTTP/1.1\r\n"}}, peer));
  world_.run_for(1s);
  EXPECT_EQ(server_->connections(), 1u);
  bool stopped = false;
  server_node_.spawn(stop_server(*server_, stopped));
  world_.run_for(1s);
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(peer.ended);
}

}  // namespace
}  // namespace weir::http
