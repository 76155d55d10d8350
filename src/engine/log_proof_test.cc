// When a result of the log may be believed.
#include "engine/log_proof.h"

#include <gtest/gtest.h>

#include "commitlog/object_log.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

class LogProofTest : public testing::ClusterFixture {
 protected:
  LogProofTest() : node_(world_.start_node({.host = "n"})), random_(1), log_(store_, random_) {}
  bool counts(LogProof& proof, std::uint64_t at) {
    return get(node_, proof.counts(Position(at))).value();
  }
  void raise(std::uint64_t to) {
    ASSERT_TRUE(get(node_, log_.raise_floor(Position(to))).has_value());
  }
  rt::sim::SimNode& node_;
  rt::SeededRandom random_;
  commitlog::ObjectLog log_;
};

TEST_F(LogProofTest, a_fresh_proof_spares_the_floor_and_an_old_one_does_not) {
  LogProof proof(node_.loop(), log_, 10s);
  EXPECT_TRUE(counts(proof, 3));
  EXPECT_TRUE(counts(proof, 3));
  EXPECT_EQ(proof.floor_reads(), 1u);
  world_.run_for(5s);
  EXPECT_TRUE(counts(proof, 3));
  EXPECT_EQ(proof.floor_reads(), 2u);
  proof.proved_since(node_.loop().now());
  world_.run_for(4s);
  EXPECT_TRUE(counts(proof, 3));
  EXPECT_EQ(proof.floor_reads(), 2u);
}

TEST_F(LogProofTest, a_result_below_the_floor_is_void) {
  LogProof proof(node_.loop(), log_, 10s);
  raise(7);
  EXPECT_FALSE(counts(proof, 6));
  EXPECT_TRUE(counts(proof, 7));
  // Within the grace nothing below 8 is removed, so what was read is true.
  raise(9);
  EXPECT_TRUE(counts(proof, 8));
  world_.run_for(5s);
  EXPECT_FALSE(counts(proof, 8));
}

TEST_F(LogProofTest, counts_from_the_start_of_the_proof) {
  LogProof proof(node_.loop(), log_, 10s);
  MonoTime started = node_.loop().now();
  world_.run_for(4s);
  proof.proved_since(started);
  world_.run_for(1s);
  raise(9);
  EXPECT_FALSE(counts(proof, 3));
}

TEST_F(LogProofTest, without_grace_every_result_is_confirmed) {
  LogProof proof(node_.loop(), log_, 0s);
  EXPECT_TRUE(counts(proof, 3));
  EXPECT_TRUE(counts(proof, 3));
  EXPECT_EQ(proof.floor_reads(), 2u);
}

}  // namespace
}  // namespace weir::engine
