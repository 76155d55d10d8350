// The connection loop, with handlers that do as they are told.
#include "broker/server.h"

#include <gtest/gtest.h>

#include "broker/testing/echo_table.h"
#include "broker/testing/rig.h"

namespace weir::broker {
namespace {

using testing::echo_request;
using testing::echo_table;
using testing::kAppend;
using testing::kOtherWrite;
using testing::kRead;
using testing::kWrite;
using testing::RawClient;
using testing::Rig;

std::int32_t number_of(const std::optional<SharedBytes>& frame) {
  if (!frame) return -1;
  serial::Reader reader(*frame);
  const std::int32_t correlation = reader.int32("correlation");
  EXPECT_EQ(reader.int32("number"), correlation);
  return correlation;
}

std::vector<std::int32_t> receive(RawClient& client, int count) {
  std::vector<std::int32_t> out;
  for (int i = 0; i < count; ++i) out.push_back(number_of(client.next_frame()));
  return out;
}

/// Place of a log line; -1 if it is not there.
int place(const Rig& rig, const std::string& line) {
  for (std::size_t i = 0; i < rig.log.lines.size(); ++i)
    if (rig.log.lines[i] == line) return static_cast<int>(i);
  return -1;
}

class Lanes : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Server, Lanes, ::testing::Values(0, 1, 3));

TEST_P(Lanes, AnswersKeepTheOrderOfRequestsWhateverIsReadyFirst) {
  Rig rig(echo_table(), {.lanes = GetParam()});
  auto client = rig.connect();
  std::string all;
  for (int i = 0; i < 100; ++i) all += echo_request(kRead, (i * 37) % 100, i);
  client.send(all);
  std::vector<std::int32_t> want(100);
  for (int i = 0; i < 100; ++i) want[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(receive(client, 100), want);
}

TEST_P(Lanes, ReadingGoesOnWhileAnEarlierRequestWaits) {
  Rig rig(echo_table(), {.lanes = GetParam()});
  auto client = rig.connect();
  client.send(echo_request(kRead, 5000, 1) + echo_request(kRead, 0, 2));
  EXPECT_TRUE(rig.run_while([&] { return place(rig, "end n=2") < 0; }, 1s));
  EXPECT_LT(place(rig, "end n=1"), 0);
  EXPECT_EQ(receive(client, 2), (std::vector{1, 2}));
}

TEST_P(Lanes, ManyClientsAreServedAtOnce) {
  Rig rig(echo_table(), {.lanes = GetParam()});
  std::vector<RawClient> clients;
  clients.reserve(20);
  for (int i = 0; i < 20; ++i) clients.push_back(rig.connect());
  for (int i = 0; i < 20; ++i)
    clients[static_cast<std::size_t>(i)].send(echo_request(kRead, 1000, i));
  const MonoTime start = rig.world.now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(receive(clients[static_cast<std::size_t>(i)], 1)[0], i);
  EXPECT_LT(rig.world.now() - start, 2s);
}

TEST(Order, WritesWaitForAppendsAndOtherWritesButNotForReads) {
  Rig rig(echo_table());
  auto client = rig.connect();
  client.send(echo_request(kRead, 900, 1) + echo_request(kAppend, 100, 2) +
              echo_request(kWrite, 100, 3) + echo_request(kOtherWrite, 0, 4));
  EXPECT_EQ(receive(client, 4), (std::vector{1, 2, 3, 4}));
  EXPECT_LT(place(rig, "end n=2"), place(rig, "begin n=3"));
  EXPECT_LT(place(rig, "end n=3"), place(rig, "begin n=4"));
  EXPECT_LT(place(rig, "end n=4"), place(rig, "end n=1"));
}

TEST(Order, ReadsAndAppendsWaitForEarlierWrites) {
  Rig rig(echo_table());
  auto client = rig.connect();
  client.send(echo_request(kWrite, 100, 1) + echo_request(kRead, 0, 2) +
              echo_request(kAppend, 0, 3));
  EXPECT_EQ(receive(client, 3), (std::vector{1, 2, 3}));
  EXPECT_LT(place(rig, "end n=1"), place(rig, "begin n=2"));
  EXPECT_LT(place(rig, "end n=1"), place(rig, "begin n=3"));
}

TEST(Order, RequestsOfOneApiOverlapAndBeginInOrder) {
  Rig rig(echo_table());
  auto client = rig.connect();
  std::string all = echo_request(kWrite, 50, 0);
  for (int i = 1; i <= 10; ++i) all += echo_request(kAppend, 100 - i, i);
  for (int i = 11; i <= 20; ++i) all += echo_request(kWrite, 100 - i, i);
  client.send(all);
  receive(client, 21);
  for (int i = 1; i < 20; ++i)
    EXPECT_LT(place(rig, "begin n=" + std::to_string(i)),
              place(rig, "begin n=" + std::to_string(i + 1)));
  EXPECT_LT(place(rig, "begin n=20"), place(rig, "end n=20"));
  EXPECT_LT(place(rig, "begin n=20"), place(rig, "end n=11"));
}

TEST(Order, SilentRequestsTakeTheirTurnWithoutBytes) {
  Rig rig(echo_table());
  auto client = rig.connect();
  client.send(echo_request(kRead, 0, 1) + echo_request(kRead, 10, -5) + echo_request(kRead, 0, 2));
  EXPECT_EQ(receive(client, 2), (std::vector{1, 2}));
}

TEST(BadInput, UnknownApiKeyClosesWithOneLineAfterEarlierAnswers) {
  Rig rig(echo_table());
  auto client = rig.connect();
  client.send(echo_request(kRead, 200, 1) + echo_request(999, 0, 2) + echo_request(kRead, 0, 3));
  EXPECT_EQ(number_of(client.next_frame()), 1);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(rig.log.count("connection_closed"), 1u);
  EXPECT_EQ(rig.log.count("unknown api key 999"), 1u);
}

TEST(BadInput, ABodyThatDoesNotDecodeCloses) {
  Rig rig(echo_table());
  auto client = rig.connect();
  std::string cut = echo_request(kRead, 0, 1);
  cut.resize(cut.size() - 6);
  cut[3] = static_cast<char>(cut[3] - 6);
  client.send(cut);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(rig.log.count("undecodable request"), 1u);
}

TEST(BadInput, ImpossibleLengthsCloseWithoutTakingMemory) {
  for (std::string_view start :
       {std::string_view("\x7f\xff\xff\xff", 4), std::string_view("\xff\xff\xff\xff", 4),
        std::string_view("\x80\0\0\0", 4), std::string_view("\0\0\0\0", 4),
        std::string_view("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", 11),
        std::string_view("GET / HTTP/1.1\r\n\r\n")}) {
    Rig rig(echo_table());
    auto client = rig.connect();
    client.send(start);
    EXPECT_TRUE(client.closes(5s));
    EXPECT_EQ(rig.memory.in.pool().used(), 0u);
    EXPECT_EQ(rig.log.count("connection_closed"), 1u);
  }
}

TEST(BadInput, RandomBytesNeverHurtOthers) {
  Rig rig(echo_table());
  auto honest = rig.connect();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    rt::SeededRandom random(seed);
    std::string bytes(1 + random.below(3000), '\0');
    for (char& c : bytes) c = static_cast<char>(random.next());
    // Half of them begin like a frame.
    if (seed % 2 == 0) bytes = std::string("\0\0\1\0\0\3\0\3", 8) + bytes;
    auto client = rig.connect();
    client.send(bytes);
    rig.world.run_for(10ms);
    client.close();
    honest.send(echo_request(kRead, 0, static_cast<std::int32_t>(seed)));
    ASSERT_EQ(number_of(honest.next_frame()), static_cast<std::int32_t>(seed));
  }
}

TEST(BadInput, LogLinesAboutPeersAreRateLimited) {
  Rig rig(echo_table());
  for (int i = 0; i < 200; ++i) {
    auto client = rig.connect();
    client.send(std::string_view("\xff\xff\xff\xff", 4));
    client.closes(1s);
  }
  EXPECT_LT(rig.log.count("connection_closed"), 60u);
  EXPECT_GE(rig.log.count("connection_closed"), 20u);
}

TEST(Limits, AReservedFrameThatIsNotFilledIsRevoked) {
  Rig rig(echo_table());
  auto client = rig.connect();
  client.send(std::string_view("\0\0\x10\0half", 8));
  rig.world.run_for(2s);
  EXPECT_EQ(rig.memory.in.pool().used(), 0x1000u);
  EXPECT_FALSE(client.closes(20s));
  EXPECT_TRUE(client.closes(15s));
  EXPECT_EQ(rig.memory.in.pool().used(), 0u);
  EXPECT_EQ(rig.log.count("request not sent in time"), 1u);
}

TEST(Limits, IdleConnectionsAndHalfLengthsCloseAfterTheIdleTime) {
  Rig rig(echo_table(), {.given = {{"connections.max.idle.ms", "60000"}}});
  auto quiet = rig.connect();
  auto half = rig.connect();
  half.send(std::string_view("\0\0", 2));
  auto busy = rig.connect();
  for (int i = 0; i < 5; ++i) {
    busy.send(echo_request(kRead, 20000, i));
    EXPECT_EQ(number_of(busy.next_frame()), i);
  }
  EXPECT_TRUE(quiet.closes(1s));
  EXPECT_TRUE(half.closes(1s));
  EXPECT_FALSE(busy.closes(50s));
  EXPECT_TRUE(busy.closes(15s));
}

TEST(Limits, ThousandsOfIdleConnectionsHoldLittle) {
  static_assert(sizeof(Connection) < 4096);
  Rig rig(echo_table());
  std::vector<RawClient> clients;
  clients.reserve(2000);
  for (int i = 0; i < 2000; ++i) {
    clients.push_back(rig.connect());
    clients.back().send(std::string_view("\0\0\1", 3));
  }
  EXPECT_EQ(rig.server->connections(), 2000u);
  EXPECT_EQ(rig.memory.in.pool().used(), 0u);
  auto honest = rig.connect();
  honest.send(echo_request(kRead, 0, 1));
  EXPECT_EQ(number_of(honest.next_frame()), 1);
}

TEST(Limits, AFullPoolMakesReadersWaitUntilThereIsRoom) {
  // 22 % of 1 MiB for frames: one of 200 KiB fits, two do not.
  Rig rig(echo_table(), {.memory = std::size_t{1} << 20});
  auto first = rig.connect("one");
  auto second = rig.connect("two");
  const std::size_t padding = std::size_t{200} << 10;
  first.send(std::string(echo_request(kRead, 0, 1, padding)).substr(0, padding));
  rig.world.run_for(1s);
  second.send(echo_request(kRead, 0, 2, padding));
  EXPECT_FALSE(second.next_frame(500ms));
  EXPECT_LE(rig.memory.in.pool().used(), padding + 100);
  first.close();
  EXPECT_EQ(number_of(second.next_frame()), 2);
}

TEST(Limits, AStalledRequestGivesWayWhenOthersNeedItsMemory) {
  Rig rig(echo_table(), {.memory = std::size_t{1} << 20});
  auto stalled = rig.connect("one");
  auto honest = rig.connect("two");
  const std::size_t padding = std::size_t{200} << 10;
  stalled.send(std::string(echo_request(kRead, 0, 1, padding)).substr(0, padding));
  rig.world.run_for(10s);
  EXPECT_EQ(rig.server->connections(), 2u) << "nobody waits for its memory yet";
  honest.send(echo_request(kRead, 0, 2, padding));
  EXPECT_EQ(number_of(honest.next_frame(5s)), 2);
  EXPECT_EQ(rig.server->connections(), 1u);
}

TEST(Limits, SmallRequestsThatAreNoProducePassWhileTheRestWaits) {
  Rig rig(echo_table(), {.memory = std::size_t{1} << 20});
  ASSERT_TRUE(rig.memory.in.pool().try_reserve(rig.memory.in.pool().bytes_max()));
  auto producer = rig.connect("producer");
  auto consumer = rig.connect("consumer");
  producer.send(echo_request(kAppend, 0, 1));
  consumer.send(echo_request(kRead, 0, 2));
  EXPECT_EQ(number_of(consumer.next_frame(1s)), 2);
  EXPECT_FALSE(producer.next_frame(1s));
  rig.memory.in.pool().release(rig.memory.in.pool().bytes_max());
  EXPECT_EQ(number_of(producer.next_frame(1s)), 1);
}

TEST(Limits, OneMaximalRequestAlwaysFits) {
  Rig rig(echo_table(), {.memory = std::size_t{1} << 20});
  auto client = rig.connect();
  client.send(echo_request(kRead, 0, 1, std::size_t{2} << 20));
  EXPECT_EQ(number_of(client.next_frame()), 1);
}

TEST(Limits, RequestsInFlightAreBounded) {
  Rig rig(echo_table());
  auto client = rig.connect();
  std::string all = echo_request(kWrite, 10000, 0);
  const int count = static_cast<int>(kInFlightRequestsMax) * 2;
  for (int i = 1; i < count; ++i) all += echo_request(kWrite, 0, i);
  client.send(all);
  rig.world.run_for(5s);
  EXPECT_EQ(rig.log.count("begin n="), kInFlightRequestsMax);
  EXPECT_EQ(receive(client, count).back(), count - 1);
}

TEST(Limits, OnlyAFewReadsAreServedBehindOneThatWaits) {
  Rig rig(echo_table());
  auto client = rig.connect();
  std::string all = echo_request(kRead, 10000, 0);
  const int count = static_cast<int>(kServedAheadMax) * 4;
  for (int i = 1; i < count; ++i) all += echo_request(kRead, 0, i);
  client.send(all);
  rig.world.run_for(5s);
  EXPECT_EQ(rig.log.count("begin n="), kServedAheadMax);
  EXPECT_EQ(receive(client, count).back(), count - 1);
}

TEST(Limits, ConnectionsPerAddress) {
  Rig rig(echo_table(), {.given = {{"max.connections.per.ip", "2"},
                                   {"max.connections.per.ip.overrides", "big:3"}}});
  std::vector<RawClient> clients;
  clients.reserve(9);
  for (int i = 0; i < 3; ++i) clients.push_back(rig.connect("small"));
  EXPECT_TRUE(clients[2].closes(1s));
  EXPECT_FALSE(clients[1].closes(1s));
  for (int i = 0; i < 4; ++i) clients.push_back(rig.connect("big"));
  EXPECT_FALSE(clients[5].closes(1s));
  EXPECT_TRUE(clients[6].closes(1s));
  // A place that was left can be taken.
  clients[0].close();
  rig.world.run_for(1s);
  clients.push_back(rig.connect("small"));
  EXPECT_FALSE(clients[7].closes(1s));
}

TEST(Limits, ConnectionsInAllWaitForAPlace) {
  Rig rig(echo_table(), {.given = {{"max.connections", "1"}}});
  auto first = rig.connect("one");
  first.send(echo_request(kRead, 0, 1));
  EXPECT_EQ(number_of(first.next_frame()), 1);
  auto second = rig.connect("two");
  second.send(echo_request(kRead, 0, 2));
  EXPECT_FALSE(second.next_frame(2s));
  first.close();
  EXPECT_EQ(number_of(second.next_frame()), 2);
}

TEST(Connection, AClientThatLeavesEndsNothingElse) {
  Rig rig(echo_table());
  {
    auto client = rig.connect();
    client.send(echo_request(kAppend, 5000, 1));
    rig.world.run_for(100ms);
  }
  rig.world.run_for(10s);
  EXPECT_GE(place(rig, "end n=1"), 0) << "what has begun is finished";
  EXPECT_EQ(rig.server->connections(), 0u);
}

TEST(Connection, RequestsAreCountedAndTimed) {
  Rig rig(echo_table());
  auto client = rig.connect();
  client.send(echo_request(kRead, 100, 1));
  client.next_frame();
  const std::string text = rig.metrics.render();
  EXPECT_NE(text.find("weir_requests_total{api=\"Metadata\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("weir_connections 1"), std::string::npos);
  EXPECT_NE(text.find("weir_request_seconds_count{api=\"Metadata\",stage=\"answered\"} 1"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::broker
