// A handler table whose requests do as they are told: wait so many milliseconds, answer a number.
//
// Keys stand for orders: 3 reads, 0 appends, 19 and 20 write. The body of a request is two int32:
// the wait and the number. What happened is noted in the broker's FakeEngine by way of `events`.
#pragma once

#include <string>
#include <vector>

#include "broker/handler_table.h"
#include "broker/serve.h"

namespace weir::broker::testing {

inline constexpr std::int16_t kRead = 3;
inline constexpr std::int16_t kAppend = 0;
inline constexpr std::int16_t kWrite = 19;
inline constexpr std::int16_t kOtherWrite = 20;
/// Of each key, as the echo requests use it; none has a flexible header.
inline constexpr std::int16_t kEchoVersion = 3;

/// "begin 7", "end 7": by test, through the logger, so that no global is needed.
inline rt::Task<Reply> echo(Broker& broker, RequestContext& context, SharedBytes body) {
  serial::Reader reader(std::move(body));
  const std::int32_t wait_ms = reader.int32("wait");
  const std::int32_t number = reader.int32("number");
  if (!reader.ok()) co_return Reply::close("undecodable request: " + reader.error().message);
  broker.log().debug("begin", {{"n", number}});
  // Bounded, for it may be random bytes.
  const MonoTime until = context.connection.lane->now() + std::min(wait_ms, 60000) * 1ms;
  if (wait_ms > 0) co_await rt::sleep_until(*context.connection.lane, until);
  broker.log().debug("end", {{"n", number}});
  if (context.api_key == kAppend) context.connection.produce_order.leave(context.ticket);
  if (number < 0) co_return Reply::silent();
  serial::Writer writer;
  auto frame = begin_response(writer, context);
  writer.int32(number);
  co_return end_response(writer, std::move(frame), context);
}

inline Reply refuse_versions(const HandlerTable&, const RequestContext&) {
  return Reply::close("no such version");
}

inline const HandlerTable& echo_table() {
  static constexpr HandlerRow kRows[] = {
      {kAppend, Order::appends, echo},
      {kRead, Order::reads, echo},
      {kWrite, Order::writes, echo},
      {kOtherWrite, Order::writes, echo},
  };
  static constexpr HandlerTable kTable{.rows = kRows, .refuse_api_versions = refuse_versions};
  return kTable;
}

/// A whole frame.
inline std::string echo_request(std::int16_t key, std::int32_t wait_ms, std::int32_t number,
                                std::size_t padding = 0) {
  serial::Writer writer;
  auto frame = writer.begin_frame();
  writer.int16(key);
  writer.int16(kEchoVersion);
  writer.int32(number);
  writer.nullable_string(serial::Form::classic, serial::Null::allowed, "c", "client_id");
  writer.int32(wait_ms);
  writer.int32(number);
  writer.raw(as_bytes(std::string(padding, 'p')));
  writer.end_frame(frame);
  return std::string(as_text(writer.finish().value().flatten().view()));
}

}  // namespace weir::broker::testing
