// Connection: one TCP connection to a broker, with requests pipelined on it.
//
// Requests are written in the order of `call`, and answers are matched by correlation id. Versions
// are negotiated once, with ApiVersions. A call that is overdue leaves its id behind, so a late
// answer does no harm. When the connection breaks, all calls on it fail with the same error;
// whether their requests were executed is then unknown to the caller.
//
// Lives on one loop. Owned by Cluster, or by a test; `close` must have ended before it dies.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/calls.h"
#include "client/limits.h"
#include "rt/event.h"
#include "rt/scope.h"
#include "rt/stream.h"

namespace weir::client {

struct CallOptions {
  MonoTime deadline;
  /// Not above this version, for calls that need something which a later version dropped.
  std::int16_t version_max = INT16_MAX;
  /// Produce with acks=0 gets no answer; the call ends with a default one when it is written.
  bool expects_answer = true;
};

class Connection {
 public:
  Connection(rt::Loop& loop, std::unique_ptr<rt::Stream> stream, std::string client_id);

  /// Connects and negotiates. Errors: unavailable, timed_out, closed, unsupported (not a Kafka
  /// broker, or a very old one).
  static rt::Task<Result<std::unique_ptr<Connection>>> open(rt::Loop& loop, rt::Network& network,
                                                            rt::Endpoint to, std::string client_id,
                                                            MonoTime deadline);

  /// Errors: closed, unavailable, timed_out, corrupt, unsupported (the broker lacks the API).
  template <class Request>
  rt::Task<Result<ResponseOf<Request>>> call(Request request, CallOptions options) {
    Result<std::int16_t> version =
        choose_version(Request::kApiKey, Request::kVersionMin,
                       std::min<std::int16_t>(Request::kVersionMax, options.version_max));
    if (!version) co_return with_context(version.error(), Request::kName);
    wire::RequestHeader header = next_header(Request::kApiKey, *version);
    Result<BytesChain> frame = encode_call(header, request);
    if (!frame) co_return with_context(frame.error(), Request::kName);
    Result<SharedBytes> answer =
        co_await exchange(header.correlation_id, std::move(*frame), options);
    if (!answer) co_return with_context(answer.error(), Request::kName);
    if (!options.expects_answer) co_return ResponseOf<Request>();
    co_return decode_answer<ResponseOf<Request>>(*answer, *version);
  }

  bool broken() const { return failure_.has_value(); }
  /// Breaks the connection; all calls fail.
  void shut(Error reason);
  /// Breaks it and waits until nothing uses it any more.
  rt::Task<void> close();

 private:
  struct Waiting {
    explicit Waiting(rt::Loop& loop) : done(loop) {}
    std::optional<Result<SharedBytes>> answer;
    rt::Event done;
  };
  struct VersionRange {
    std::int16_t least, most;
  };

  void start();
  rt::Task<Result<void>> negotiate(MonoTime deadline);
  Result<std::int16_t> choose_version(std::int16_t key, std::int16_t least,
                                      std::int16_t most) const;
  wire::RequestHeader next_header(std::int16_t key, std::int16_t version);
  /// The answer's frame without its length word; empty if none is expected.
  rt::Task<Result<SharedBytes>> exchange(std::int32_t correlation_id, BytesChain frame,
                                         CallOptions options);
  rt::Task<Result<SharedBytes>> await_answer(std::int32_t correlation_id, MonoTime deadline);
  rt::Task<void> read_answers();
  rt::Task<Result<SharedBytes>> read_frame();
  rt::Task<bool> read_fully(MutableBytes into);
  rt::Task<void> write_requests();

  rt::Loop& loop_;
  std::unique_ptr<rt::Stream> stream_;
  std::string client_id_;
  std::int32_t next_correlation_id_ = 1;
  std::map<std::int16_t, VersionRange> versions_;
  std::map<std::int32_t, Waiting*> waiting_;
  std::deque<BytesChain> outgoing_;
  /// Frames handed to the socket so far; tells a call without answer that it is written.
  std::uint64_t written_ = 0;
  std::uint64_t queued_ = 0;
  std::size_t calls_ = 0;
  std::optional<Error> failure_;
  rt::Event changed_;
  rt::Scope scope_;
};

}  // namespace weir::client
