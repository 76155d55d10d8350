#include "objstore/file/direct_io.h"

#include <array>
#include <bit>

#include "base/narrow.h"
#include "objstore/conformance_harness.h"
#include "objstore/file/file_tree.h"
#include "objstore/limits.h"
#include "rt/sim/file_system.h"

namespace weir::objstore {
namespace {

using Direct = rt::sim::SimDisk::Direct;

class DirectIoTest : public testing::Test {
 protected:
  rt::sim::SimFileSystem& files() { return runner_.node().files(); }
  rt::sim::SimDisk& disk() { return files().disk(); }
  std::unique_ptr<FileTree> open(std::size_t direct_bytes_min) {
    auto tree =
        FileTree::open(files(), {"/s", true, false, direct_bytes_min}, runner_.node().random());
    EXPECT_TRUE(tree) << describe(tree.error());
    return std::move(tree.value());
  }
  std::uint64_t below(std::uint64_t bound) { return runner_.world().random().below(bound); }
  /// In slices that begin and end anywhere.
  BytesChain cut(std::string_view body) {
    BytesChain chain;
    while (!body.empty()) {
      std::size_t size = std::min<std::size_t>(1 + below(300'000), body.size());
      chain.append(SharedBytes::copy_of(as_bytes(body.substr(0, size))));
      body.remove_prefix(size);
    }
    return chain;
  }

  SimRunner runner_{5};
};

class AnyFileSystem : public DirectIoTest, public testing::WithParamInterface<Direct> {};

constexpr std::array<std::size_t, 11> kLengths = {0,
                                                  1,
                                                  4'095,
                                                  4'096,
                                                  4'097,
                                                  12'288,
                                                  999'999,
                                                  kFileStagingBytes - 1,
                                                  kFileStagingBytes,
                                                  kFileStagingBytes + 1,
                                                  3 * kFileStagingBytes + 4'097};

TEST_P(AnyFileSystem, ObjectsOfAnyLengthComeBackWholeAndInRanges) {
  disk().set_direct(GetParam());
  for (std::size_t length : kLengths) {
    SCOPED_TRACE("length " + std::to_string(length));
    // A tree of its own, so that each length meets the refusal.
    auto tree = open(1);
    std::string body = pattern_bytes(length, length);
    ASSERT_TRUE(tree->put("a", cut(body)));
    // Less than a block is no transfer that could be refused.
    std::size_t refused_from = GetParam() == Direct::never ? 1 : rt::kDirectBlockBytes;
    EXPECT_EQ(tree->direct_refused(), GetParam() != Direct::works && length >= refused_from);
    EXPECT_TRUE(as_text(tree->get("a")->view()) == body);
    for (int i = 0; i < 40; ++i) {
      std::size_t from = below(length + 1);
      std::size_t count = below(length - from + 1);
      auto got = tree->get_range("a", from, count);
      ASSERT_TRUE(got) << describe(got.error());
      EXPECT_TRUE(as_text(got->view()) == body.substr(from, count)) << from << " " << count;
    }
    EXPECT_FALSE(tree->get_range("a", length, 1));
  }
}

TEST_P(AnyFileSystem, AReaderFallsBackAsAWriterDoes) {
  std::string body = pattern_bytes(300'001, 1);
  ASSERT_TRUE(open(kDirectNever)->put("a", cut(body)));
  disk().set_direct(GetParam());
  auto tree = open(1);
  EXPECT_TRUE(as_text(tree->get("a")->view()) == body);
  EXPECT_EQ(tree->direct_refused(), GetParam() != Direct::works);
}

INSTANTIATE_TEST_SUITE_P(DirectIo, AnyFileSystem,
                         testing::Values(Direct::works, Direct::refuses_transfers, Direct::never));

TEST_F(DirectIoTest, OnlyLargeObjectsPassThePageCacheBy) {
  disk().set_direct(Direct::never);
  auto tree = open(100'000);
  ASSERT_TRUE(tree->put("a", cut(std::string(99'999, 'x'))));
  EXPECT_FALSE(tree->direct_refused());
  ASSERT_TRUE(tree->put("b", cut(std::string(100'000, 'x'))));
  EXPECT_TRUE(tree->direct_refused());
}

TEST_F(DirectIoTest, AWriteThatStopsAnywhereAppliesNothing) {
  auto tree = open(1);
  std::string before(5'000, 'o'), body(kFileStagingBytes + 5'000, 'n');
  ASSERT_TRUE(tree->put("a", cut(before)));
  for (std::uint64_t calls = 0;; ++calls) {
    files().stop_after(calls);
    auto put = tree->put("a", cut(body));
    files().never_stop();
    if (put) {
      EXPECT_GT(calls, 8u);
      break;
    }
    bool is_new = as_text(tree->get("a")->view()) == body;
    EXPECT_EQ(put.error().is(ErrorCode::unknown_outcome), is_new) << "after " << calls;
    if (is_new) ASSERT_TRUE(tree->put("a", cut(before)));
    EXPECT_TRUE(as_text(tree->get("a")->view()) == before);
  }
  EXPECT_FALSE(tree->direct_refused());
}

TEST_F(DirectIoTest, AFullDiskIsNoRefusal) {
  auto tree = open(1);
  disk().set_capacity(disk().used() + 8'192);
  auto full = tree->put("a", cut(std::string(100'000, 'x')));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::out_of_space);
  EXPECT_FALSE(tree->direct_refused());
  EXPECT_TRUE(tree->get("a").error().is(ErrorCode::not_found));
}

TEST(StagingMemoryTest, KeepsAFewForReuse) {
  StagingMemory staging;
  MutableBytes first;
  {
    auto a = staging.borrow();
    auto b = staging.borrow();
    EXPECT_NE(a.bytes().data(), b.bytes().data());
    EXPECT_EQ(a.bytes().size(), kFileStagingBytes);
    EXPECT_EQ(std::bit_cast<std::uintptr_t>(b.bytes().data()) % rt::kDirectBlockBytes, 0u);
    first = a.bytes();
  }
  EXPECT_EQ(staging.borrow().bytes().data(), first.data());
}

}  // namespace
}  // namespace weir::objstore
