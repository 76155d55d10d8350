#include "client/connection.h"

#include "base/endian.h"
#include "base/version.h"
#include "client/kafka_error.h"

namespace weir::client {
namespace {

constexpr std::int16_t kApiVersionsKey = 18;
/// Enough to name ourselves, and known to every broker since 2.4.
constexpr std::int16_t kApiVersionsVersion = 3;
constexpr std::size_t kLengthBytes = 4;

}  // namespace

Connection::Connection(rt::Loop& loop, std::unique_ptr<rt::Stream> stream, std::string client_id)
    : loop_(loop),
      stream_(std::move(stream)),
      client_id_(std::move(client_id)),
      changed_(loop),
      scope_(loop) {
  versions_[kApiVersionsKey] = {0, kApiVersionsVersion};
}

void Connection::start() {
  scope_.spawn(read_answers());
  scope_.spawn(write_requests());
}

rt::Task<Result<std::unique_ptr<Connection>>> Connection::open(rt::Loop& loop, rt::Network& network,
                                                               rt::Endpoint to,
                                                               std::string client_id,
                                                               MonoTime deadline) {
  std::string name = to.text();
  Result<std::unique_ptr<rt::Stream>> stream =
      co_await network.connect(loop, std::move(to), deadline);
  if (!stream) co_return with_context(stream.error(), name);
  auto connection = std::make_unique<Connection>(loop, std::move(*stream), std::move(client_id));
  connection->start();
  Result<void> negotiated = co_await connection->negotiate(deadline);
  if (negotiated) co_return connection;
  co_await connection->close();
  co_return with_context(negotiated.error(), name);
}

rt::Task<Result<void>> Connection::negotiate(MonoTime deadline) {
  wire::ApiVersionsRequest request;
  request.client_software_name = "weir";
  request.client_software_version = version();
  for (std::int16_t version : {kApiVersionsVersion, std::int16_t{0}}) {
    if (version == 0) request = {};
    wire::RequestHeader header = next_header(kApiVersionsKey, version);
    Result<BytesChain> frame = encode_call(header, request);
    if (!frame) co_return std::unexpected(frame.error());
    Result<SharedBytes> answer =
        co_await exchange(header.correlation_id, std::move(*frame), {.deadline = deadline});
    if (!answer) co_return with_context(answer.error(), "ApiVersions");
    // A broker that does not know the version says so in version 0 (KIP-511).
    constexpr std::size_t kErrorAt = 4;
    bool refused =
        answer->size() >= kErrorAt + 2 &&
        is(load_be<std::int16_t>(answer->view(), kErrorAt), KafkaCode::unsupported_version);
    if (refused && version != 0) continue;
    Result<wire::ApiVersionsResponse> versions =
        decode_answer<wire::ApiVersionsResponse>(*answer, version);
    if (!versions) co_return std::unexpected(versions.error());
    if (versions->error_code != 0) co_return std::unexpected(to_error(versions->error_code));
    for (const auto& api : versions->api_keys)
      versions_[api.api_key] = {api.min_version, api.max_version};
    co_return Result<void>();
  }
  co_return fail(ErrorCode::unsupported, "the broker speaks no version of ApiVersions");
}

Result<std::int16_t> Connection::choose_version(std::int16_t key, std::int16_t least,
                                                std::int16_t most) const {
  auto theirs = versions_.find(key);
  if (theirs == versions_.end())
    return fail(ErrorCode::unsupported, "the broker does not offer this");
  std::int16_t chosen = std::min(most, theirs->second.most);
  if (chosen < std::max(least, theirs->second.least))
    return fail(ErrorCode::unsupported, "the broker offers no version that we know");
  return chosen;
}

wire::RequestHeader Connection::next_header(std::int16_t key, std::int16_t version) {
  wire::RequestHeader header;
  header.request_api_key = key;
  header.request_api_version = version;
  header.correlation_id = next_correlation_id_;
  header.client_id = client_id_;
  next_correlation_id_ = next_correlation_id_ == INT32_MAX ? 1 : next_correlation_id_ + 1;
  return header;
}

rt::Task<Result<SharedBytes>> Connection::exchange(std::int32_t correlation_id, BytesChain frame,
                                                   CallOptions options) {
  ++calls_;
  Result<SharedBytes> result = SharedBytes();
  bool room = true;
  while (room && !failure_ && waiting_.size() + outgoing_.size() >= kInFlightRequestsMax)
    room = co_await changed_.wait_until(options.deadline);
  if (failure_) {
    result = std::unexpected(*failure_);
  } else if (!room) {
    result = fail(ErrorCode::timed_out, "too many requests are waiting for this broker");
  } else {
    outgoing_.push_back(std::move(frame));
    std::uint64_t number = ++queued_;
    changed_.notify_all();
    if (options.expects_answer) {
      result = co_await await_answer(correlation_id, options.deadline);
    } else {
      bool in_time = true;
      while (in_time && !failure_ && written_ < number)
        in_time = co_await changed_.wait_until(options.deadline);
      if (failure_)
        result = std::unexpected(*failure_);
      else if (!in_time)
        result = fail(ErrorCode::timed_out, "the broker takes no bytes");
    }
  }
  --calls_;
  changed_.notify_all();
  co_return result;
}

rt::Task<Result<SharedBytes>> Connection::await_answer(std::int32_t correlation_id,
                                                       MonoTime deadline) {
  Waiting waiting(loop_);
  waiting_[correlation_id] = &waiting;
  bool in_time = true;
  while (in_time && !waiting.answer) in_time = co_await waiting.done.wait_until(deadline);
  waiting_.erase(correlation_id);
  if (waiting.answer) co_return std::move(*waiting.answer);
  co_return fail(ErrorCode::timed_out, "no answer from " + stream_->peer().text() + " in time");
}

rt::Task<bool> Connection::read_fully(MutableBytes into) {
  while (!into.empty()) {
    Result<std::size_t> size = co_await stream_->read_some(into);
    if (!size) {
      shut(size.error());
      co_return false;
    }
    if (*size == 0) {
      shut({ErrorCode::closed, "the broker closed the connection"});
      co_return false;
    }
    into = into.subspan(*size);
  }
  co_return true;
}

rt::Task<Result<SharedBytes>> Connection::read_frame() {
  std::array<std::byte, kLengthBytes> word;
  if (!co_await read_fully(word)) co_return std::unexpected(*failure_);
  auto length = load_be<std::int32_t>(word, 0);
  if (length < static_cast<std::int32_t>(sizeof(std::int32_t)) ||
      static_cast<std::uint32_t>(length) > kResponseBytesMax)
    co_return fail(ErrorCode::corrupt,
                   "what answers at " + stream_->peer().text() + " does not speak Kafka");
  Buffer frame = Buffer::make(static_cast<std::size_t>(length));
  if (!co_await read_fully(frame.data())) co_return std::unexpected(*failure_);
  co_return SharedBytes(std::move(frame));
}

/// Hands each answer to the call that waits for it. Waits for bytes without a deadline: calls have
/// theirs, and `shut` ends the read.
rt::Task<void> Connection::read_answers() {
  while (!failure_) {
    Result<SharedBytes> frame = co_await read_frame();
    if (!frame) {
      shut(frame.error());
      break;
    }
    auto found = waiting_.find(load_be<std::int32_t>(frame->view(), 0));
    // An answer to nobody is one whose call has timed out.
    if (found == waiting_.end()) continue;
    found->second->answer = std::move(*frame);
    found->second->done.notify_all();
  }
}

rt::Task<void> Connection::write_requests() {
  while (!failure_) {
    if (outgoing_.empty()) {
      co_await changed_.wait();
      continue;
    }
    BytesChain frame = std::move(outgoing_.front());
    std::vector<Bytes> parts = frame.views();
    Result<void> written = co_await stream_->write(parts);
    if (!written) {
      shut(written.error());
      break;
    }
    outgoing_.pop_front();
    ++written_;
    changed_.notify_all();
  }
}

void Connection::shut(Error reason) {
  if (failure_) return;
  failure_ = std::move(reason);
  stream_->close();
  for (auto& [id, waiting] : waiting_) {
    waiting->answer = std::unexpected(*failure_);
    waiting->done.notify_all();
  }
  changed_.notify_all();
}

rt::Task<void> Connection::close() {
  shut({ErrorCode::closed, "the connection was closed"});
  while (calls_ != 0) co_await changed_.wait();
  co_await scope_.join();
}

}  // namespace weir::client
