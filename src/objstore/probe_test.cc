#include "objstore/probe.h"

#include "objstore/conformance_harness.h"
#include "objstore/decorator_impl.h"
#include "objstore/latency_store.h"
#include "objstore/memory_store.h"
#include "objstore/scripted_store.h"

namespace weir::objstore {
namespace {

/// A store that lacks one thing, as real ones do.
class BadStore final : public Decorator<BadStore> {
 public:
  enum class Lack { nothing, create_if_absent, atomic_create, if_match, fresh_reads, fresh_lists };
  BadStore(ObjectStore& inner, rt::Loop& loop, Lack lack)
      : Decorator(inner), loop_(loop), lack_(lack) {}

  template <class T>
  rt::Task<Result<T>> around(Request request) {
    bool create = request.verb == Verb::put_if_absent;
    if (create && lack_ == Lack::create_if_absent) request.verb = Verb::put;
    if (create && lack_ == Lack::atomic_create) {
      auto there = co_await inner().head(request.name);
      co_await rt::sleep_for(loop_, 1ms);
      if (!there) request.verb = Verb::put;
    }
    if (request.verb == Verb::put_if_match && lack_ == Lack::if_match) request.verb = Verb::put;
    if (request.verb == Verb::put && lack_ == Lack::fresh_reads && request.name != kProbeMark) {
      auto there = co_await inner().head(request.name);
      if (there) {
        if constexpr (std::is_same_v<T, std::string>) co_return "new";
      }
    }
    if (request.verb == Verb::list && lack_ == Lack::fresh_lists) request.name = "nothing/";
    co_return co_await send<T>(inner(), std::move(request));
  }

 private:
  rt::Loop& loop_;
  Lack lack_;
};

class ProbeTest : public testing::Test {
 protected:
  Result<bool> probe(ObjectStore& store) {
    return run_one(runner_, probe_store({store, runner_.loop(), runner_.node().random()}));
  }
  std::string refusal(BadStore::Lack lack) {
    BadStore bad(slow_, runner_.loop(), lack);
    auto probed = probe(bad);
    EXPECT_FALSE(probed);
    if (probed) return "";
    EXPECT_EQ(probed.error().code, ErrorCode::unsupported);
    return probed.error().message;
  }
  std::size_t objects() { return run_one(runner_, memory_.list("", ""))->objects.size(); }

  SimRunner runner_{9};
  MemoryStore memory_;
  LatencyStore slow_{memory_, runner_.loop(), runner_.node().random(), LatencyLaw::s3()};
};

TEST_F(ProbeTest, AGoodStorePassesAndKeepsNothingButTheMark) {
  auto first = probe(slow_);
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_FALSE(*first);
  EXPECT_EQ(objects(), 1u);
  // The format of docs/formats/probe-mark.md.
  EXPECT_EQ(as_text(run_one(runner_, memory_.get("probe/passed"))->view()),
            "weir-probe 1 " + memory_.describe() + "\n");
}

TEST_F(ProbeTest, ARestartAsksOnce) {
  ASSERT_TRUE(probe(slow_));
  ScriptedStore counted(slow_, runner_.loop());
  auto second = probe(counted);
  ASSERT_TRUE(second);
  EXPECT_TRUE(*second);
  EXPECT_EQ(counted.seen(), std::vector<Verb>{Verb::get});
}

TEST_F(ProbeTest, TheMarkOfAnotherStoreDoesNotCount) {
  ASSERT_TRUE(run_one(runner_, memory_.put(kProbeMark, chain_of(probe_mark("s3://other")))));
  EXPECT_FALSE(probe(slow_).value());
}

TEST_F(ProbeTest, AStoreThatIgnoresTheConditionIsRefused) {
  EXPECT_NE(refusal(BadStore::Lack::create_if_absent).find("does not honour create-if-absent: 8"),
            std::string::npos);
  EXPECT_EQ(objects(), 0u) << "also what failed cleans up";
}

TEST_F(ProbeTest, AStoreThatChecksAndThenWritesIsRefused) {
  std::string why = refusal(BadStore::Lack::atomic_create);
  EXPECT_NE(why.find("racing creators"), std::string::npos) << why;
}

TEST_F(ProbeTest, AStoreThatReplacesAnyVersionIsRefused) {
  EXPECT_NE(refusal(BadStore::Lack::if_match).find("replace-if-unchanged"), std::string::npos);
}

TEST_F(ProbeTest, AStoreThatReadsOldBytesIsRefused) {
  EXPECT_NE(refusal(BadStore::Lack::fresh_reads).find("read-after-write"), std::string::npos);
}

TEST_F(ProbeTest, AStoreThatListsLateIsRefused) {
  EXPECT_NE(refusal(BadStore::Lack::fresh_lists).find("list-after-write"), std::string::npos);
}

TEST_F(ProbeTest, ALostAnswerIsNoVerdict) {
  ScriptedStore store(memory_, runner_.loop());
  // The look at the mark, and one of the racing creators.
  store.script({{}, {.error = ErrorCode::unknown_outcome, .apply = true}});
  auto probed = probe(store);
  ASSERT_TRUE(probed) << describe(probed.error());
  store.otherwise({.error = ErrorCode::unknown_outcome});
  store.script({{.error = ErrorCode::not_found}});
  EXPECT_EQ(probe(store).error().code, ErrorCode::unavailable) << "in trouble, not in breach";
}

TEST_F(ProbeTest, AMissingPermissionIsNamedWithItsStep) {
  ScriptedStore denied(memory_, runner_.loop());
  denied.script({{}, {.error = ErrorCode::configuration}});
  auto probed = probe(denied);
  ASSERT_FALSE(probed);
  EXPECT_EQ(probed.error().code, ErrorCode::configuration);
  EXPECT_NE(probed.error().message.find("creating an object"), std::string::npos);
}

}  // namespace
}  // namespace weir::objstore
