#include "broker/frame_fsm.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/ensure.h"

namespace weir::broker {

std::string_view to_string(FrameProblem problem) {
  switch (problem) {
    case FrameProblem::none: return "none";
    case FrameProblem::negative: return "negative frame length";
    case FrameProblem::too_small: return "frame too short for a request header";
    case FrameProblem::too_large: return "frame longer than socket.request.max.bytes";
    case FrameProblem::tls: return "TLS on a plaintext listener";
    case FrameProblem::http: return "HTTP on a Kafka listener";
  }
  return "unknown";
}

FrameFsm::Step FrameFsm::next() {
  switch (state_) {
    case State::length: return read_length();
    case State::memory: return {.what = Do::reserve, .bytes = frame_bytes_};
    case State::body:
      if (filled_ < frame_bytes_) return {.what = Do::read, .into = body_.data().subspan(filled_)};
      state_ = State::length;
      return {.what = Do::frame, .frame = SharedBytes(std::exchange(body_, Buffer()))};
    case State::failed: break;
  }
  return {.what = Do::fail, .problem = problem_};
}

FrameFsm::Step FrameFsm::read_length() {
  if (end_ - begin_ < 4) {
    if (begin_ != 0) {
      std::memmove(scratch_.data(), scratch_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return {.what = Do::read, .into = MutableBytes(scratch_).subspan(end_)};
  }
  std::int32_t length = 0;
  std::memcpy(&length, scratch_.data() + begin_, 4);
  length = std::byteswap(length);
  problem_ = check(length);
  if (problem_ != FrameProblem::none) {
    state_ = State::failed;
    return {.what = Do::fail, .problem = problem_};
  }
  begin_ += 4;
  frame_bytes_ = static_cast<std::size_t>(length);
  state_ = State::memory;
  return {.what = Do::reserve, .bytes = frame_bytes_};
}

FrameProblem FrameFsm::check(std::int32_t length) const {
  if (length < 0) return FrameProblem::negative;
  if (static_cast<std::size_t>(length) < kFrameBytesMin) return FrameProblem::too_small;
  if (static_cast<std::size_t>(length) <= frame_bytes_max_) return FrameProblem::none;
  // A person who mixed up ports is helped by the right sentence: a TLS record starts 22, 3.
  const std::string_view start = as_text(Bytes(scratch_).subspan(begin_, 4));
  if (start[0] == 22 && start[1] == 3) return FrameProblem::tls;
  if (start == "GET " || start == "POST" || start == "HEAD" || start == "PUT ")
    return FrameProblem::http;
  return FrameProblem::too_large;
}

std::optional<std::int16_t> FrameFsm::api_key() const {
  if (state_ != State::memory || end_ - begin_ < 2) return std::nullopt;
  std::int16_t key = 0;
  std::memcpy(&key, scratch_.data() + begin_, 2);
  return std::byteswap(key);
}

void FrameFsm::received(std::size_t bytes) {
  if (state_ == State::body) {
    ENSURE(bytes <= frame_bytes_ - filled_);
    filled_ += bytes;
    return;
  }
  ENSURE(state_ == State::length);
  ENSURE(bytes <= scratch_.size() - end_);
  end_ += bytes;
}

void FrameFsm::provide(Buffer buffer) {
  ENSURE(state_ == State::memory);
  ENSURE(buffer.size() == frame_bytes_);
  body_ = std::move(buffer);
  filled_ = std::min(frame_bytes_, end_ - begin_);
  std::memcpy(body_.data().data(), scratch_.data() + begin_, filled_);
  begin_ += filled_;
  if (begin_ == end_) begin_ = end_ = 0;
  state_ = State::body;
}

}  // namespace weir::broker
