#include "broker/frame_fsm.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "rt/random.h"

namespace weir::broker {
namespace {

std::string length_word(std::uint32_t n) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(n >> shift));
  return out;
}

std::string framed(std::string_view body) {
  return length_word(static_cast<std::uint32_t>(body.size())) + std::string(body);
}

struct Outcome {
  std::vector<std::string> frames;
  FrameProblem problem = FrameProblem::none;
  std::size_t reserved = 0;
};

/// Plays the connection: feeds `stream` in pieces of the sizes that `piece` gives.
template <class Piece>
Outcome feed(FrameFsm& fsm, std::string_view stream, Piece piece) {
  Outcome out;
  for (;;) {
    FrameFsm::Step step = fsm.next();
    switch (step.what) {
      case FrameFsm::Do::read: {
        if (stream.empty()) return out;
        std::size_t n = std::min<std::size_t>({piece(), step.into.size(), stream.size()});
        std::memcpy(step.into.data(), stream.data(), n);
        stream.remove_prefix(n);
        fsm.received(n);
        break;
      }
      case FrameFsm::Do::reserve:
        out.reserved += step.bytes;
        fsm.provide(Buffer::make(step.bytes));
        break;
      case FrameFsm::Do::frame: out.frames.emplace_back(as_text(step.frame.view())); break;
      case FrameFsm::Do::fail: out.problem = step.problem; return out;
    }
  }
}

TEST(FrameFsm, AnySplitGivesTheSameFrames) {
  std::vector<std::string> bodies = {std::string(8, 'a'),
                                     std::string(5000, 'b'),
                                     std::string(100, 'c'),
                                     std::string(kScratchBytes - 4, 'd'),
                                     std::string(kScratchBytes - 3, 'e'),
                                     std::string(9, 'f')};
  std::string stream;
  for (const std::string& body : bodies) stream += framed(body);
  for (std::size_t size : {1u, 2u, 3u, 4u, 5u, 7u, 1000u, 2047u, 2048u, 1u << 20}) {
    FrameFsm fsm(1 << 20);
    Outcome out = feed(fsm, stream, [size] { return size; });
    EXPECT_EQ(out.frames, bodies) << "pieces of " << size;
    EXPECT_FALSE(fsm.inside_frame());
  }
}

TEST(FrameFsm, RandomSplitsGiveTheSameFrames) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    rt::SeededRandom random(seed);
    std::string stream;
    std::vector<std::string> bodies;
    for (int i = 0; i < 20; ++i) {
      bodies.emplace_back(8 + random.below(6000), static_cast<char>('a' + i));
      stream += framed(bodies.back());
    }
    FrameFsm fsm(1 << 20);
    Outcome out = feed(fsm, stream, [&] { return 1 + random.below(3000); });
    ASSERT_EQ(out.frames, bodies) << "seed " << seed;
  }
}

TEST(FrameFsm, ReservesNothingBeforeTheLengthIsChecked) {
  struct Case {
    std::uint32_t length;
    FrameProblem problem;
  };
  for (Case c :
       {Case{0xffffffffu, FrameProblem::negative}, Case{0x80000000u, FrameProblem::negative},
        Case{0, FrameProblem::too_small}, Case{7, FrameProblem::too_small},
        Case{1001, FrameProblem::too_large}, Case{0x7fffffffu, FrameProblem::too_large},
        Case{0x16030100u, FrameProblem::tls}, Case{0x47455420u, FrameProblem::http}}) {
    FrameFsm fsm(1000);
    Outcome out = feed(fsm, length_word(c.length) + "tail", [] { return 1u; });
    EXPECT_EQ(out.problem, c.problem) << c.length;
    EXPECT_EQ(out.reserved, 0u);
    EXPECT_EQ(fsm.next().what, FrameFsm::Do::fail) << "a failure is final";
  }
}

TEST(FrameFsm, LimitIsInclusive) {
  FrameFsm fsm(1000);
  Outcome out = feed(fsm, framed(std::string(1000, 'x')), [] { return 100000u; });
  EXPECT_EQ(out.frames.size(), 1u);
}

TEST(FrameFsm, HalfFrameIsNoticed) {
  FrameFsm fsm(1000);
  EXPECT_FALSE(fsm.inside_frame());
  feed(fsm, std::string_view("\0\0", 2), [] { return 1u; });
  EXPECT_TRUE(fsm.inside_frame());
}

}  // namespace
}  // namespace weir::broker
