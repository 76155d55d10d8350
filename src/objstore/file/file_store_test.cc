#include "objstore/file/file_store.h"

#include "base/narrow.h"
#include "objstore/conformance_harness.h"
#include "objstore/limits.h"
#include "rt/sim/file_system.h"

namespace weir::objstore {
namespace {

class FileTreeTest : public testing::Test {
 protected:
  rt::sim::SimFileSystem& files() { return runner_.node().files(); }
  rt::sim::SimDisk& disk() { return files().disk(); }
  std::unique_ptr<FileTree> open(bool sync = true) {
    auto tree = FileTree::open(files(), {"/s", sync}, runner_.node().random());
    EXPECT_TRUE(tree) << describe(tree.error());
    return std::move(tree.value());
  }
  std::size_t temporary_files() { return files().list("/s/.tmp")->size(); }

  SimRunner runner_{3};
};

TEST_F(FileTreeTest, LeavesNoTemporaryFilesBehind) {
  auto tree = open();
  ASSERT_TRUE(tree->put("a/b", chain_of("x")));
  ASSERT_TRUE(tree->put_if_absent("a/c", chain_of("x")));
  ASSERT_FALSE(tree->put_if_absent("a/c", chain_of("x")));
  EXPECT_EQ(temporary_files(), 1u);  // its lock
}

TEST_F(FileTreeTest, OpeningRemovesTheFilesOfDeadTreesButNotOfLivingOnes) {
  auto living = open();
  auto dead = open();
  // A put that is stopped after its file was made: the call after it fails, and the removal, too.
  files().stop_after(2);
  EXPECT_FALSE(dead->put("x", chain_of("half")));
  files().stop_after(2);
  EXPECT_FALSE(living->put("y", chain_of("half")));
  files().never_stop();
  EXPECT_EQ(temporary_files(), 4u);
  dead.reset();
  auto fresh = open();
  EXPECT_EQ(temporary_files(), 3u);  // the living one's lock and file, our lock
}

TEST_F(FileTreeTest, ReadOnlyMakesNothingAndRefusesToWrite) {
  auto writer = open();
  ASSERT_TRUE(writer->put("a/b", chain_of("x")));
  std::size_t before = temporary_files();
  auto tree = FileTree::open(files(), {"/s", true, true}, runner_.node().random());
  ASSERT_TRUE(tree);
  EXPECT_EQ((*tree)->get("a/b").value().size(), 1u);
  EXPECT_EQ((*tree)->list("", "").value().objects.size(), 1u);
  EXPECT_TRUE((*tree)->put("a/c", chain_of("y")).error().is(ErrorCode::configuration));
  EXPECT_TRUE((*tree)->put_if_absent("a/c", chain_of("y")).error().is(ErrorCode::configuration));
  EXPECT_FALSE((*tree)->try_put_if_match("a/b", chain_of("y"), "e"));
  EXPECT_EQ((*tree)->remove({"a/b"}).size(), 1u);
  EXPECT_EQ(temporary_files(), before);
  EXPECT_TRUE(writer->get("a/b"));
}

TEST_F(FileTreeTest, AFullDiskAppliesNothing) {
  auto tree = open();
  ASSERT_TRUE(tree->put("a", chain_of("old")));
  disk().set_capacity(disk().used() + 8'192);
  auto full = tree->put("a", chain_of(std::string(100'000, 'x')));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::out_of_space);
  EXPECT_EQ(as_text(tree->get("a")->view()), "old");
  EXPECT_EQ(temporary_files(), 1u);
}

TEST_F(FileTreeTest, AnErrorAfterTheNameIsSetIsUnclearAndBeforeItIsNot) {
  auto tree = open();
  ASSERT_TRUE(tree->put("d/a", chain_of("old")));
  for (std::uint64_t calls = 0;; ++calls) {
    // One call fails, all others work.
    struct Once {
      rt::sim::SimFileSystem& files;
      std::uint64_t until;
    };
    std::uint64_t before = files().calls();
    files().stop_after(calls);
    auto put = tree->put("d/a", chain_of("new"));
    bool stopped = files().calls() == before + calls;
    files().never_stop();
    if (put) {
      EXPECT_GT(calls, 3u);
      break;
    }
    std::string now(as_text(tree->get("d/a")->view()));
    if (now == "new")
      EXPECT_EQ(put.error().code, ErrorCode::unknown_outcome) << "after " << calls;
    else
      EXPECT_NE(put.error().code, ErrorCode::unknown_outcome) << "after " << calls;
    EXPECT_TRUE(stopped);
    if (now == "new") ASSERT_TRUE(tree->put("d/a", chain_of("old")));
  }
}

TEST_F(FileTreeTest, WhatWasAnsweredSurvivesAPowerLoss) {
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    rt::sim::SimWorld world(narrow<std::uint64_t>(round) + 1'000);
    rt::sim::SimNode& node = world.start_node({"a"});
    std::map<std::string, std::string> acknowledged;
    {
      // Every other round without the page cache.
      std::size_t direct_bytes_min = round % 2 == 0 ? kDirectNever : 1;
      auto tree =
          FileTree::open(node.files(), {"/s", true, false, direct_bytes_min}, node.random());
      ASSERT_TRUE(tree);
      node.files().stop_after(world.random().below(120));
      for (int i = 0; i < 12; ++i) {
        std::string name = "data/" + std::to_string(i % 3) + "/" + std::to_string(i);
        std::string body = pattern_bytes(world.random().below(5'000), world.random().next());
        bool absent = world.random().below(2) == 0;
        auto put = absent ? (*tree)->put_if_absent(name, chain_of(body))
                          : (*tree)->put(name, chain_of(body));
        if (put) acknowledged[name] = body;
      }
    }
    world.lose_power("a");
    rt::sim::SimNode& after = world.start_node({"a"});
    {
      auto tree = FileTree::open(after.files(), {"/s"}, after.random());
      ASSERT_TRUE(tree) << describe(tree.error());
      for (const auto& [name, body] : acknowledged) {
        auto got = (*tree)->get(name);
        ASSERT_TRUE(got) << name << ": " << describe(got.error());
        EXPECT_TRUE(as_text(got->view()) == body) << name << " is not what was acknowledged";
      }
    }
    after.exit();
  }
}

// The canary of the test above: without syncs it must find losses.
TEST_F(FileTreeTest, WithoutSyncsAPowerLossDoesTakeSomething) {
  int losses = 0;
  for (std::uint64_t round = 0; round < 30; ++round) {
    rt::sim::SimWorld world(round + 1);
    rt::sim::SimNode& node = world.start_node({"a"});
    {
      auto tree = FileTree::open(node.files(), {"/s", false}, node.random());
      ASSERT_TRUE(tree);
      ASSERT_TRUE((*tree)->put("x", chain_of("body")));
    }
    world.lose_power("a");
    rt::sim::SimNode& after = world.start_node({"a"});
    {
      auto tree = FileTree::open(after.files(), {"/s", false}, after.random());
      ASSERT_TRUE(tree);
      auto got = (*tree)->get("x");
      if (!got || as_text(got->view()) != "body") ++losses;
    }
    after.exit();
  }
  EXPECT_GT(losses, 0);
}

TEST_F(FileTreeTest, GivesUpWhenTheLockOfConditionalReplacesStaysHeld) {
  auto tree = open();
  std::string etag = tree->put_if_absent("f", chain_of("one")).value();
  auto holder = files().open("/s/.lock", rt::OpenMode::create_or_open);
  ASSERT_TRUE(holder);
  ASSERT_TRUE(*(*holder)->try_lock_exclusive());
  FileStore store(runner_.loop(), runner_.node().workers(), *tree);
  MonoTime begin = runner_.loop().now();
  auto put = run_one(runner_, store.put_if_match("f", chain_of("two"), etag));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::unavailable);
  EXPECT_GE(runner_.loop().now() - begin, kFileLockWaitMax);
  holder->reset();
  EXPECT_TRUE(run_one(runner_, store.put_if_match("f", chain_of("two"), etag)));
}

TEST_F(FileTreeTest, ARootThatIsReplacedUnderUsTakesNothingMore) {
  auto tree = open();
  ASSERT_TRUE(tree->put("a/b", chain_of("x")));
  auto lock = files().list("/s/.tmp")->front().name;
  // As after a copy was put in its place: the name is there, the file is another.
  ASSERT_TRUE(files().remove("/s/.tmp/" + lock));
  for (bool copied : {false, true}) {
    if (copied) {
      ASSERT_TRUE(files().open("/s/.tmp/" + lock, rt::OpenMode::create_new));
    }
    for (auto put : {tree->put("a/c", chain_of("x")), tree->put_if_absent("a/d", chain_of("x"))}) {
      ASSERT_FALSE(put);
      EXPECT_EQ(put.error().code, ErrorCode::configuration);
      EXPECT_NE(put.error().message.find("replaced under this broker"), std::string::npos);
    }
  }
}

TEST_F(FileTreeTest, ADirectoryThatVanishedIsMadeAgain) {
  auto tree = open();
  ASSERT_TRUE(tree->put("data/00/a", chain_of("x")));
  ASSERT_TRUE(tree->remove({"data/00/a"}).empty());
  ASSERT_TRUE(files().remove("/s/data/00"));
  EXPECT_TRUE(tree->put("data/00/b", chain_of("y")));
  EXPECT_EQ(as_text(tree->get("data/00/b")->view()), "y");
}

TEST(FileStoreKind, NamesNetworkFileSystems) {
  EXPECT_TRUE(is_network_file_system("nfs"));
  EXPECT_TRUE(is_network_file_system("cifs"));
  EXPECT_FALSE(is_network_file_system("ext4"));
  EXPECT_FALSE(is_network_file_system("overlay"));
}

}  // namespace
}  // namespace weir::objstore
