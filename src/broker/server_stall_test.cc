// A peer that asks and does not read.
#include <gtest/gtest.h>

#include "broker/server.h"
#include "broker/testing/echo_table.h"
#include "broker/testing/rig.h"

namespace weir::broker {
namespace {

using testing::echo_request;
using testing::kRead;
using testing::kWrite;
using testing::Rig;

std::int32_t number_of(const std::optional<SharedBytes>& frame) {
  if (!frame) return -1;
  serial::Reader reader(*frame);
  const std::int32_t correlation = reader.int32("correlation");
  EXPECT_EQ(reader.int32("number"), correlation);
  return correlation;
}

/// Answers each request with a megabyte.
rt::Task<Reply> large_answer(Broker& broker, RequestContext& context, SharedBytes) {
  broker.log().debug("begin", {{"n", context.api_key}});
  serial::Writer writer;
  auto frame = begin_response(writer, context);
  writer.raw(as_bytes(std::string(1u << 20, 'x')));
  co_return end_response(writer, std::move(frame), context);
}

rt::Task<void> send_and_never_read(rt::sim::SimNode& node, std::uint16_t port, std::string bytes) {
  auto stream =
      co_await node.network().connect(node.loop(), {"broker", port}, node.loop().now() + 5s);
  EXPECT_TRUE(stream.has_value());
  if (!stream) co_return;
  Bytes part = as_bytes(bytes);
  (void)co_await (*stream)->write(std::span(&part, 1));
  co_await rt::sleep_for(node.loop(), 600s);
}

TEST(Limits, APeerThatDoesNotReadItsAnswersHoldsLittleAndNotForLong) {
  static constexpr HandlerRow kRows[] = {{kRead, Order::reads, large_answer},
                                         {kWrite, Order::writes, testing::echo}};
  static constexpr HandlerTable kTable{.rows = kRows,
                                       .refuse_api_versions = testing::refuse_versions};
  Rig rig(kTable);
  auto& deaf = rig.world.start_node({.host = "deaf"});
  std::string all;
  for (int i = 0; i < 2'000; ++i) all += echo_request(kRead, 0, i);
  deaf.spawn(send_and_never_read(deaf, rig.port, all));
  rig.world.run_for(5s);
  EXPECT_EQ(rig.server->connections(), 1u);
  EXPECT_LE(rig.log.count("begin n="), 2u) << "an answer, and the one that is being written";
  auto other = rig.connect("other");
  other.send(echo_request(kWrite, 0, 7));
  EXPECT_EQ(number_of(other.next_frame(1s)), 7);
  rig.world.run_for(kWriteStallMax + kWriteBatchBytesMax / kFillBytesPerSecond * 1s + 10s);
  EXPECT_EQ(rig.server->connections(), 1u) << "only the one who reads";
  EXPECT_EQ(rig.memory.in.pool().used(), 0u);
  EXPECT_EQ(rig.memory.out.pool().used(), 0u);
  other.send(echo_request(kWrite, 0, 8));
  EXPECT_EQ(number_of(other.next_frame(1s)), 8);
}

}  // namespace
}  // namespace weir::broker
