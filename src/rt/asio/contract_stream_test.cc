// The contract of networks, listeners and streams, in both worlds.
#include <algorithm>
#include <memory>
#include <vector>

#include "rt/asio/contract_test_support.h"
#include "rt/scope.h"

namespace weir::rt::asio {
namespace {

template <class World>
class StreamContract : public Contract<World> {};
TYPED_TEST_SUITE(StreamContract, Worlds, WorldNames);

struct Pair {
  std::unique_ptr<Stream> client, server;
};

Task<void> accept_into(Listener& listener, Loop& loop, std::unique_ptr<Stream>& stream) {
  auto accepted = co_await listener.accept(loop);
  EXPECT_TRUE(accepted.has_value());
  if (accepted) stream = *std::move(accepted);
}

/// Both ends of a connection, on the test's loop.
Task<Pair> make_pair(Parts& parts) {
  Pair pair;
  auto listener = parts.network.listen(parts.loop, {"localhost", 0});
  EXPECT_TRUE(listener.has_value());
  Scope scope(parts.loop);
  scope.spawn(accept_into(**listener, parts.loop, pair.server));
  auto client = co_await parts.network.connect(parts.loop, (*listener)->local(), parts.soon());
  EXPECT_TRUE(client.has_value());
  if (client) pair.client = *std::move(client);
  co_await scope.join();
  co_return pair;
}

Task<Result<std::string>> read_all(Stream& stream, std::size_t bytes_max) {
  std::string text;
  std::vector<std::byte> buffer(64 * 1024);
  while (text.size() < bytes_max) {
    std::size_t want = std::min(buffer.size(), bytes_max - text.size());
    auto got = co_await stream.read_some(MutableBytes(buffer).first(want));
    if (!got) co_return std::unexpected(got.error());
    if (*got == 0) break;
    text += as_text(Bytes(buffer).first(*got));
  }
  co_return text;
}

Task<Result<void>> write_text(Stream& stream, std::string text) {
  Bytes part = as_bytes(text);
  co_return co_await stream.write(std::span(&part, 1));
}

Task<void> echo_until_end(Stream& stream) {
  std::vector<std::byte> buffer(1000);
  for (;;) {
    auto got = co_await stream.read_some(buffer);
    EXPECT_TRUE(got.has_value());
    if (!got || *got == 0) break;
    Bytes part = Bytes(buffer).first(*got);
    EXPECT_TRUE((co_await stream.write(std::span(&part, 1))).has_value());
  }
  stream.close();
}

Task<void> echo(Parts& parts) {
  Pair pair = co_await make_pair(parts);
  Scope scope(parts.loop);
  scope.spawn(echo_until_end(*pair.server));
  for (int i = 0; i < 100; ++i) {
    std::string text = "message " + std::to_string(i);
    EXPECT_TRUE((co_await write_text(*pair.client, text)).has_value());
    auto back = co_await read_all(*pair.client, text.size());
    EXPECT_EQ(back.value_or("error"), text);
  }
  pair.client->close();
  co_await scope.join();
}
TYPED_TEST(StreamContract, Echo) { this->run(echo); }

Task<void> end_follows_the_data(Parts& parts) {
  Pair pair = co_await make_pair(parts);
  EXPECT_TRUE((co_await write_text(*pair.client, "half a fr")).has_value());
  pair.client->close();
  auto got = co_await read_all(*pair.server, 1000);
  EXPECT_EQ(got.value_or("error"), "half a fr");
  // The end stays the end.
  EXPECT_EQ((co_await read_all(*pair.server, 1000)).value_or("error"), "");
}
TYPED_TEST(StreamContract, EndFollowsTheData) { this->run(end_follows_the_data); }

Task<void> expect_read_is_closed(Stream& stream, bool& done) {
  std::vector<std::byte> buffer(10);
  auto got = co_await stream.read_some(buffer);
  EXPECT_TRUE(!got && got.error().is(ErrorCode::closed));
  done = true;
}

Task<void> close_ends_a_pending_read(Parts& parts) {
  Pair pair = co_await make_pair(parts);
  Scope scope(parts.loop);
  bool done = false;
  scope.spawn(expect_read_is_closed(*pair.client, done));
  co_await sleep_for(parts.loop, 1ms);
  EXPECT_FALSE(done);
  pair.client->close();
  pair.client->close();
  co_await scope.join();
  EXPECT_TRUE(done);
  auto later = co_await write_text(*pair.client, "x");
  EXPECT_TRUE(!later && later.error().is(ErrorCode::closed));
}
TYPED_TEST(StreamContract, CloseEndsAPendingRead) { this->run(close_ends_a_pending_read); }

Task<void> destruction_ends_a_pending_read(Parts& parts) {
  Pair pair = co_await make_pair(parts);
  Scope scope(parts.loop);
  bool done = false;
  scope.spawn(expect_read_is_closed(*pair.client, done));
  co_await sleep_for(parts.loop, 1ms);
  pair.client.reset();
  co_await scope.join();
  EXPECT_TRUE(done);
}
TYPED_TEST(StreamContract, DestructionEndsAPendingRead) {
  this->run(destruction_ends_a_pending_read);
}

Task<void> write_until_closed(Stream& stream, std::size_t& written) {
  std::string text(100'000, 'x');
  for (;;) {
    auto put = co_await write_text(stream, text);
    if (!put) {
      EXPECT_TRUE(put.error().is(ErrorCode::closed));
      break;
    }
    written += text.size();
  }
}

Task<void> back_pressure_stops_a_writer(Parts& parts) {
  Pair pair = co_await make_pair(parts);
  Scope scope(parts.loop);
  std::size_t written = 0;
  scope.spawn(write_until_closed(*pair.client, written));
  // The reader sleeps, so the writer comes to a stand.
  std::size_t before = 1;
  while (before != written) {
    before = written;
    co_await sleep_for(parts.loop, 50ms);
  }
  std::vector<std::byte> buffer(100'000);
  std::size_t got = 0;
  while (written == before) got += (co_await pair.server->read_some(buffer)).value_or(0);
  EXPECT_GT(got, 0u);
  // Closing while the writer waits ends it.
  before = 0;
  while (before != written) {
    before = written;
    co_await sleep_for(parts.loop, 50ms);
  }
  pair.client->close();
  co_await scope.join();
}
TYPED_TEST(StreamContract, BackPressureStopsAWriterAndCloseEndsIt) {
  this->run(back_pressure_stops_a_writer);
}

Task<void> peer_close_ends_a_writer(Parts& parts) {
  Pair pair = co_await make_pair(parts);
  Scope scope(parts.loop);
  std::size_t written = 0;
  scope.spawn(write_until_closed(*pair.client, written));
  co_await sleep_for(parts.loop, 5ms);
  pair.server->close();
  co_await scope.join();
}
TYPED_TEST(StreamContract, PeerCloseEndsAWriter) { this->run(peer_close_ends_a_writer); }

Task<void> write_parts(Stream& stream, std::span<const Bytes> parts) {
  EXPECT_TRUE((co_await stream.write(parts)).has_value());
  stream.close();
}

Task<void> large_scatter_write(Parts& parts) {
  constexpr std::size_t kBytes = 16 * 1024 * 1024;
  std::string text(kBytes, '\0');
  for (std::size_t i = 0; i < kBytes; i += 8) {
    std::uint64_t word = parts.random.next();
    std::memcpy(std::span(text).subspan(i).data(), &word, 8);
  }
  // More parts than one system call takes, of all sizes, empty ones too.
  std::vector<Bytes> views;
  Bytes rest = as_bytes(text);
  while (!rest.empty()) {
    std::size_t size = std::min<std::size_t>(rest.size(), parts.random.below(20'000));
    if (parts.random.below(4) == 0) size = std::min<std::size_t>(size, 3);
    views.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  views.push_back({});
  Pair pair = co_await make_pair(parts);
  Scope scope(parts.loop);
  scope.spawn(write_parts(*pair.client, views));
  auto got = co_await read_all(*pair.server, kBytes + 1);
  EXPECT_TRUE(got.has_value());
  EXPECT_TRUE(got.value_or("") == text);
  co_await scope.join();
}
TYPED_TEST(StreamContract, LargeScatterWriteArrivesWhole) { this->run(large_scatter_write); }

Task<void> writing_nothing_succeeds(Parts& parts) {
  Pair pair = co_await make_pair(parts);
  EXPECT_TRUE((co_await pair.client->write({})).has_value());
  Bytes empty[2];
  EXPECT_TRUE((co_await pair.client->write(empty)).has_value());
}
TYPED_TEST(StreamContract, WritingNothingSucceeds) { this->run(writing_nothing_succeeds); }

Task<void> connection_is_refused(Parts& parts) {
  auto listener = parts.network.listen(parts.loop, {"localhost", 0});
  EXPECT_TRUE(listener.has_value());
  Endpoint nobody = (*listener)->local();
  listener->reset();
  auto got = co_await parts.network.connect(parts.loop, nobody, parts.soon());
  EXPECT_TRUE(!got && got.error().is(ErrorCode::closed));
  if (!got) EXPECT_NE(got.error().message.find(nobody.text()), std::string::npos);
}
TYPED_TEST(StreamContract, ConnectionToNobodyIsRefused) { this->run(connection_is_refused); }

Task<void> unknown_host_is_a_configuration_error(Parts& parts) {
  auto got = co_await parts.network.connect(parts.loop, {"no-such-host.invalid", 1}, parts.soon());
  EXPECT_FALSE(got.has_value());
  if (!got)
    // Or no name server answers here.
    EXPECT_TRUE(got.error().is(ErrorCode::configuration) ||
                got.error().is(ErrorCode::unavailable) || got.error().is(ErrorCode::timed_out));
}
TYPED_TEST(StreamContract, UnknownHostIsAConfigurationError) {
  this->run(unknown_host_is_a_configuration_error);
}

Task<void> port_in_use_is_said(Parts& parts) {
  auto first = parts.network.listen(parts.loop, {"localhost", 0});
  EXPECT_TRUE(first.has_value());
  EXPECT_NE((*first)->local().port, 0);
  auto second = parts.network.listen(parts.loop, (*first)->local());
  EXPECT_TRUE(!second && second.error().is(ErrorCode::already_exists));
  (*first)->close();
  EXPECT_TRUE(parts.network.listen(parts.loop, (*first)->local()).has_value());
  co_return;
}
TYPED_TEST(StreamContract, PortInUseIsSaidUntilItIsClosed) { this->run(port_in_use_is_said); }

Task<void> expect_accept_is_closed(Listener& listener, Loop& loop, bool& done) {
  auto got = co_await listener.accept(loop);
  EXPECT_TRUE(!got && got.error().is(ErrorCode::closed));
  done = true;
}

Task<void> close_ends_a_pending_accept(Parts& parts) {
  auto listener = parts.network.listen(parts.loop, {"localhost", 0});
  EXPECT_TRUE(listener.has_value());
  Scope scope(parts.loop);
  bool done = false;
  scope.spawn(expect_accept_is_closed(**listener, parts.loop, done));
  co_await sleep_for(parts.loop, 1ms);
  EXPECT_FALSE(done);
  (*listener)->close();
  co_await scope.join();
  EXPECT_TRUE(done);
}
TYPED_TEST(StreamContract, CloseEndsAPendingAccept) { this->run(close_ends_a_pending_accept); }

Task<void> streams_live_on_the_loop_that_is_asked_for(Parts& parts) {
  auto listener = parts.network.listen(parts.loop, {"", 0});
  EXPECT_TRUE(listener.has_value());
  std::unique_ptr<Stream> server;
  Scope scope(parts.loop);
  scope.spawn(accept_into(**listener, parts.other, server));
  Endpoint to{"localhost", (*listener)->local().port};
  auto client = co_await parts.network.connect(parts.loop, to, parts.soon());
  EXPECT_TRUE(client.has_value());
  co_await scope.join();
  if (!client || !server) co_return;
  EXPECT_TRUE((co_await write_text(**client, "hello")).has_value());
  co_await resume_on(parts.other);
  EXPECT_EQ((co_await read_all(*server, 5)).value_or("error"), "hello");
  EXPECT_TRUE(parts.other.is_current());
  EXPECT_TRUE((co_await write_text(*server, "welcome")).has_value());
  server.reset();
  co_await resume_on(parts.loop);
  EXPECT_EQ((co_await read_all(**client, 100)).value_or("error"), "welcome");
}
TYPED_TEST(StreamContract, StreamsLiveOnTheLoopThatIsAskedFor) {
  this->run(streams_live_on_the_loop_that_is_asked_for);
}

Task<void> ping_pong(Pair pair, Loop& loop) {
  Scope scope(loop);
  scope.spawn(echo_until_end(*pair.server));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE((co_await write_text(*pair.client, "ping")).has_value());
    EXPECT_EQ((co_await read_all(*pair.client, 4)).value_or("error"), "ping");
  }
  pair.client->close();
  co_await scope.join();
}

Task<void> many_connections(Parts& parts) {
  Scope scope(parts.loop);
  for (int i = 0; i < 50; ++i) scope.spawn(ping_pong(co_await make_pair(parts), parts.loop));
  co_await scope.join();
}
TYPED_TEST(StreamContract, ManyConnectionsWorkAtOnce) { this->run(many_connections); }

}  // namespace
}  // namespace weir::rt::asio
