// serve<>: the frame of every handler: decode on the lane, handle on the engine's loop, encode on
// the lane.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "broker/answer_room.h"
#include "broker/broker.h"
#include "broker/reply.h"
#include "broker/request_context.h"
#include "rt/loop.h"
#include "rt/task.h"
#include "serial/reader.h"
#include "serial/writer.h"

namespace weir::broker {

/// Begins a response frame and writes its header; `end_response` completes it.
serial::Writer::Placeholder begin_response(serial::Writer& writer, const RequestContext& context);
Reply end_response(serial::Writer& writer, serial::Writer::Placeholder frame,
                   const RequestContext& context);

template <class Response>
Reply encode_reply(const Response& response, const RequestContext& context) {
  serial::Writer writer;
  serial::Writer::Placeholder frame = begin_response(writer, context);
  encode(response, writer, context.version);
  return end_response(writer, std::move(frame), context);
}

/// The request is gone from memory when this returns, but for the slices that `out` keeps.
template <class Request>
Result<void> decode_request(Request& out, SharedBytes body, std::int16_t version) {
  serial::Reader reader(std::move(body));
  if (!decode(out, reader, version)) return std::unexpected(reader.error());
  return {};
}

inline Reply undecodable(const Error& error) {
  return Reply::close("undecodable request: " + error.message);
}

/// `Handle` runs on the engine's loop from beginning to end.
template <class Request, class Response,
          rt::Task<Response> (*Handle)(Broker&, const RequestContext&, Request)>
rt::Task<Reply> serve(Broker& broker, RequestContext& context, SharedBytes body) {
  Request request;
  if (auto decoded = decode_request(request, std::move(body), context.version); !decoded)
    co_return undecodable(decoded.error());
  co_await rt::resume_on(broker.loop());
  Response response = co_await Handle(broker, context, std::move(request));
  co_await rt::resume_on(*context.connection.lane);
  co_return encode_reply(response, context);
}

/// As `serve`, for answers that may be much larger than their requests.
template <class Request, class Response,
          rt::Task<Response> (*Handle)(Broker&, const RequestContext&, Request, AnswerRoom&)>
rt::Task<Reply> serve_large(Broker& broker, RequestContext& context, SharedBytes body) {
  Request request;
  if (auto decoded = decode_request(request, std::move(body), context.version); !decoded)
    co_return undecodable(decoded.error());
  AnswerRoom room(broker, context);
  co_await rt::resume_on(broker.loop());
  Response response = co_await Handle(broker, context, std::move(request), room);
  co_await rt::resume_on(*context.connection.lane);
  Reply reply = encode_reply(response, context);
  reply.hold = room.release();
  co_return reply;
}

}  // namespace weir::broker
