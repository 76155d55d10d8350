#include "commitlog/object_log.h"

#include <map>
#include <variant>

#include "objstore/conformance_harness.h"
#include "objstore/fault_store.h"
#include "objstore/memory_store.h"

namespace weir::commitlog {
namespace {

TEST(ObjectLog, RemovesStraysBelowTheFloorToo) {
  objstore::SimRunner runner(1);
  objstore::MemoryStore store;
  ObjectLog log(store, runner.node().random());
  for (std::uint64_t at = 0; at < 10; ++at)
    ASSERT_TRUE(run_one(runner, log.create(Position(at), objstore::chain_of("x"))));
  ASSERT_TRUE(run_one(runner, log.raise_floor(Position(5))));
  ASSERT_TRUE(run_one(runner, log.remove(Position(0), Position(4))));
  // Only the engine's grace rule tells such a late create from a win.
  EXPECT_EQ(run_one(runner, log.create(Position(2), objstore::chain_of("late"))).value(),
            CreateOutcome::won);
  EXPECT_FALSE(log.guards_floor());
  ASSERT_TRUE(run_one(runner, log.remove(Position(0), Position(4))));
  EXPECT_FALSE(run_one(runner, log.read(Position(2))).value().has_value());
  EXPECT_EQ(run_one(runner, store.list("log/0/", ""))->objects.size(), 6u);  // and the floor
}

class FaultyObjectLog : public testing::Test {
 protected:
  using Fault = objstore::FaultStore::Fault;
  Result<CreateOutcome> create(std::uint64_t at, std::string_view text) {
    return run_one(runner_, log_.create(Position(at), objstore::chain_of(text)));
  }
  std::string read(std::uint64_t at) {
    auto found = run_one(runner_, log_.read(Position(at)));
    if (!found) return std::string(to_string(found.error().code));
    return found->has_value() ? std::string(as_text((*found)->view())) : "absent";
  }
  void join() {
    std::vector<rt::Task<void>> tasks;
    tasks.push_back(faults_.join());
    runner_.run(std::move(tasks));
  }

  objstore::SimRunner runner_{1};
  objstore::MemoryStore memory_;
  objstore::FaultStore faults_{memory_, runner_.loop(), runner_.node().random()};
  ObjectLog log_{faults_, runner_.node().random()};
};

TEST_F(FaultyObjectLog, ALostAnswerIsUnknownAndReadingResolvesIt) {
  faults_.fail_next(Fault::lost);
  EXPECT_EQ(create(0, "nonce 1").value(), CreateOutcome::unknown);
  EXPECT_EQ(read(0), "nonce 1");
  EXPECT_EQ(create(0, "nonce 1").value(), CreateOutcome::exists);
}

TEST_F(FaultyObjectLog, ALateCreateIsUnknownAndLosesAgainstWhatCameMeanwhile) {
  faults_.fail_next(Fault::late);
  EXPECT_EQ(create(0, "late").value(), CreateOutcome::unknown);
  EXPECT_EQ(read(0), "absent");
  EXPECT_EQ(create(0, "early").value(), CreateOutcome::won);
  join();
  EXPECT_EQ(read(0), "early");
}

TEST_F(FaultyObjectLog, ARefusedCreateWasNotAppliedAndAFailedReadIsNoAbsence) {
  faults_.fail_next(Fault::refused);
  auto outcome = create(0, "x");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::unavailable);
  EXPECT_EQ(create(0, "x").value(), CreateOutcome::won);
  faults_.fail_next(Fault::refused);
  EXPECT_EQ(read(0), "unavailable");
}

TEST_F(FaultyObjectLog, TheFloorIsRaisedThroughLostAnswersAndNeverSinks) {
  for (std::uint64_t at = 0; at < 40; ++at) ASSERT_TRUE(create(at, "x"));
  ObjectLog clean(memory_, runner_.node().random());
  faults_.set_law({.lost_ppm = 300'000, .late_ppm = 300'000, .late_max = 10s});
  std::uint64_t raised = 0;
  for (std::uint64_t to = 1; to < 40; ++to) {
    auto done = run_one(runner_, log_.raise_floor(Position(to)));
    if (done) raised = to;
    auto floor = run_one(runner_, clean.read_floor());
    ASSERT_TRUE(floor);
    EXPECT_GE(floor->value, raised);
  }
  join();
  EXPECT_GE(run_one(runner_, clean.read_floor())->value, raised);
  EXPECT_GT(raised, 0u);
}

/// A store that answers every conditional put with one code.
class AnsweringStore final : public objstore::ObjectStore {
 public:
  explicit AnsweringStore(ErrorCode code) : code_(code) {}
  rt::Task<Result<std::string>> put(std::string, BytesChain) override { co_return no(); }
  rt::Task<Result<std::string>> put_if_absent(std::string, BytesChain) override { co_return no(); }
  rt::Task<Result<std::string>> put_if_match(std::string, BytesChain, std::string) override {
    co_return no();
  }
  rt::Task<Result<SharedBytes>> get(std::string) override { co_return no(); }
  rt::Task<Result<SharedBytes>> get_range(std::string, std::uint64_t, std::uint64_t) override {
    co_return no();
  }
  rt::Task<Result<objstore::ObjectInfo>> head(std::string) override { co_return no(); }
  rt::Task<Result<Page>> list(std::string, std::string) override { co_return no(); }
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string>) override { co_return no(); }
  std::string describe() const override { return "answering"; }

 private:
  std::unexpected<Error> no() const { return fail(code_, "answer"); }
  ErrorCode code_;
};

TEST(ObjectLogCodes, EachCodeOfAStoreHasItsOutcome) {
  using Outcome = std::variant<CreateOutcome, ErrorCode>;
  std::map<ErrorCode, Outcome> expected = {
      {ErrorCode::already_exists, CreateOutcome::exists},
      {ErrorCode::precondition, CreateOutcome::exists},
      {ErrorCode::unavailable, ErrorCode::unavailable},
      {ErrorCode::out_of_space, ErrorCode::out_of_space},
      {ErrorCode::configuration, ErrorCode::configuration},
      {ErrorCode::too_large, ErrorCode::too_large},
      {ErrorCode::invalid_argument, ErrorCode::invalid_argument},
      {ErrorCode::not_found, ErrorCode::configuration},
      {ErrorCode::unsupported, ErrorCode::configuration},
      {ErrorCode::unknown_outcome, CreateOutcome::unknown},
      {ErrorCode::timed_out, CreateOutcome::unknown},
      {ErrorCode::closed, CreateOutcome::unknown},
      {ErrorCode::cancelled, CreateOutcome::unknown},
      {ErrorCode::corrupt, CreateOutcome::unknown},
      {ErrorCode::internal, CreateOutcome::unknown},
  };
  for (const auto& [code, outcome] : expected) {
    objstore::SimRunner runner(1);
    AnsweringStore store(code);
    ObjectLog log(store, runner.node().random());
    auto got = run_one(runner, log.create(Position(0), objstore::chain_of("x")));
    Outcome seen = got ? Outcome(*got) : Outcome(got.error().code);
    EXPECT_TRUE(seen == outcome) << to_string(code);
  }
}

}  // namespace
}  // namespace weir::commitlog
