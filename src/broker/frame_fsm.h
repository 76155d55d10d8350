// FrameFsm: cuts the byte stream of a connection into request frames.
//
// A pure machine: the connection asks `next()` what to do and does it. No memory is taken for a
// frame before its length was checked and the caller provided a buffer of exactly that size; the
// rest of the frame is then read straight into it. Small frames that arrive together share one read
// through the scratch area, which is all that a connection without a complete length holds.
//
// Invariant: between two frames the machine holds at most kScratchBytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "broker/limits.h"

namespace weir::broker {

enum class FrameProblem : unsigned char { none, negative, too_small, too_large, tls, http };
std::string_view to_string(FrameProblem problem);

class FrameFsm {
 public:
  explicit FrameFsm(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  enum class Do : unsigned char {
    read,     // read 1 … into.size() bytes into `into`, then received(n)
    reserve,  // get a Buffer of `bytes`, then provide(buffer)
    frame,    // `frame` is complete (without its length)
    fail,     // not a stream of frames: close
  };
  struct Step {
    Do what = Do::fail;
    MutableBytes into;
    std::size_t bytes = 0;
    SharedBytes frame;
    FrameProblem problem = FrameProblem::none;
  };

  Step next();
  void received(std::size_t bytes);
  void provide(Buffer buffer);

  /// After Do::reserve: the API key of the frame, if it has arrived with the length.
  std::optional<std::int16_t> api_key() const;

  /// A frame has begun and is not complete: the peer owes bytes.
  bool inside_frame() const { return state_ != State::length || end_ != begin_; }

 private:
  enum class State : unsigned char { length, memory, body, failed };
  Step read_length();
  FrameProblem check(std::int32_t length) const;

  std::size_t frame_bytes_max_;
  State state_ = State::length;
  FrameProblem problem_ = FrameProblem::none;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t frame_bytes_ = 0;
  std::size_t filled_ = 0;
  Buffer body_;
  std::array<std::byte, kScratchBytes> scratch_;
};

}  // namespace weir::broker
