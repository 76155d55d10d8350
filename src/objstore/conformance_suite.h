// For tests only: what every ObjectStore must do. A driver instantiates the suite in its own test
// program, in one source file of it:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, ObjectStoreConformance,
//   testing::Values(&make_memory_harness));
#pragma once

#include <algorithm>
#include <set>

#include "objstore/conformance_harness.h"
#include "objstore/limits.h"

namespace weir::objstore {

class ObjectStoreConformance : public testing::TestWithParam<StoreHarnessMaker> {
 protected:
  void SetUp() override { harness_ = GetParam()(); }

  ObjectStore& store(std::size_t client = 0) { return harness_->client(client); }
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(harness_->runner(), std::move(task));
  }
  void put(const std::string& name, std::string_view body) {
    auto done = run(store().put(name, chain_of(body)));
    EXPECT_TRUE(done) << describe(done.error());
  }
  /// Returns the etag.
  std::string create(const std::string& name, std::string_view body) {
    auto etag = run(store().put_if_absent(name, chain_of(body)));
    EXPECT_TRUE(etag) << describe(etag.error());
    return etag.value_or("");
  }
  std::string get(const std::string& name, std::size_t client = 0) {
    auto body = run(store(client).get(name));
    return body ? std::string(as_text(body->view())) : "error: " + describe(body.error());
  }
  template <class T>
  ErrorCode code(rt::Task<Result<T>> task) {
    Result<T> result = run(std::move(task));
    EXPECT_FALSE(result);
    return result ? ErrorCode::internal : result.error().code;
  }
  /// All names with a prefix, over all pages; fails if one comes twice.
  std::set<std::string> list(const std::string& prefix) {
    std::set<std::string> names;
    std::string continuation;
    do {
      auto page = run(store().list(prefix, continuation));
      EXPECT_TRUE(page) << describe(page.error());
      if (!page) break;
      for (const ObjectInfo& object : page->objects)
        EXPECT_TRUE(names.insert(object.name).second) << object.name << " twice";
      continuation = page->next;
    } while (!continuation.empty());
    return names;
  }

  std::unique_ptr<StoreHarness> harness_;
};

TEST_P(ObjectStoreConformance, GivesBackWhatWasPutOnEveryClient) {
  put("data/00/a", "hello");
  EXPECT_EQ(get("data/00/a"), "hello");
  EXPECT_EQ(get("data/00/a", 7), "hello");
}

TEST_P(ObjectStoreConformance, PutReplaces) {
  put("a", "one");
  put("a", "three");
  EXPECT_EQ(get("a"), "three");
}

TEST_P(ObjectStoreConformance, AnAbsentObjectIsNotFound) {
  EXPECT_EQ(code(store().get("no/such")), ErrorCode::not_found);
  EXPECT_EQ(code(store().get_range("no/such", 0, 1)), ErrorCode::not_found);
  EXPECT_EQ(code(store().head("no/such")), ErrorCode::not_found);
}

TEST_P(ObjectStoreConformance, KeepsEmptyObjects) {
  put("empty", "");
  EXPECT_EQ(get("empty"), "");
  auto info = run(store().head("empty"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, 0u);
}

TEST_P(ObjectStoreConformance, JoinsTheManyPartsOfABody) {
  BytesChain chain;
  std::string whole;
  for (int i = 0; i < 3'000; ++i) {
    std::string part = std::to_string(i) + ",";
    whole += part;
    chain.append(SharedBytes::copy_of(as_bytes(part)));
  }
  ASSERT_TRUE(run(store().put("parts", chain)));
  EXPECT_EQ(get("parts"), whole);
}

TEST_P(ObjectStoreConformance, TheBodyMayChangeOnceThePutHasEnded) {
  SharedBytes bytes = SharedBytes::copy_of(as_bytes("before"));
  ASSERT_TRUE(run(store().put("a", BytesChain(bytes))));
  bytes.mutable_view()[0] = std::byte{'X'};
  EXPECT_EQ(get("a"), "before");
}

TEST_P(ObjectStoreConformance, ReadsRangesExactly) {
  put("r", "0123456789");
  auto range = [&](std::uint64_t offset, std::uint64_t length) {
    auto bytes = run(store().get_range("r", offset, length));
    return bytes ? std::string(as_text(bytes->view())) : std::string(to_string(bytes.error().code));
  };
  std::string refused(to_string(ErrorCode::invalid_argument));
  EXPECT_EQ(range(0, 10), "0123456789");
  EXPECT_EQ(range(3, 4), "3456");
  EXPECT_EQ(range(9, 1), "9");
  EXPECT_EQ(range(9, 2), refused);
  EXPECT_EQ(range(10, 1), refused);
  EXPECT_EQ(range(11, 1), refused);
  EXPECT_EQ(range(0, ~std::uint64_t{0}), refused);
  EXPECT_EQ(range(~std::uint64_t{0}, 2), refused);
}

TEST_P(ObjectStoreConformance, HeadTellsSizeAndTheEtagThatTheCreateTold) {
  std::string etag = create("h", "12345");
  auto info = run(store(3).head("h"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->name, "h");
  EXPECT_EQ(info->size, 5u);
  EXPECT_EQ(info->etag, etag);
}

TEST_P(ObjectStoreConformance, PutIfAbsentCreatesOnce) {
  ASSERT_TRUE(run(store().put_if_absent("log/0/1", chain_of("first"))));
  EXPECT_EQ(code(store(1).put_if_absent("log/0/1", chain_of("second"))), ErrorCode::already_exists);
  EXPECT_EQ(code(store(0).put_if_absent("log/0/1", chain_of("first"))), ErrorCode::already_exists);
  EXPECT_EQ(get("log/0/1"), "first");
}

TEST_P(ObjectStoreConformance, OfSixteenRacingCreatorsOneWins) {
  for (int round = 0; round < 40; ++round) {
    std::string name = "race/" + std::to_string(round);
    std::vector<rt::Task<Result<std::string>>> tasks;
    for (std::size_t i = 0; i < StoreHarness::kClients; ++i)
      tasks.push_back(store(i).put_if_absent(name, chain_of("by " + std::to_string(i))));
    auto results = run_all(harness_->runner(), std::move(tasks));
    std::string winner;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i]) {
        EXPECT_EQ(results[i].error().code, ErrorCode::already_exists);
        continue;
      }
      EXPECT_TRUE(winner.empty()) << "two winners in round " << round;
      winner = "by " + std::to_string(i);
    }
    EXPECT_EQ(get(name), winner);
  }
}

TEST_P(ObjectStoreConformance, PutIfMatchReplacesOnlyTheNamedVersion) {
  std::string first = create("f", "one");
  auto second = run(store(1).put_if_match("f", chain_of("two"), first));
  ASSERT_TRUE(second) << describe(second.error());
  EXPECT_NE(*second, first);
  EXPECT_EQ(code(store(2).put_if_match("f", chain_of("three"), first)), ErrorCode::precondition);
  EXPECT_EQ(code(store(2).put_if_match("none", chain_of("x"), first)), ErrorCode::precondition);
  EXPECT_EQ(get("f"), "two");
  EXPECT_TRUE(run(store(2).put_if_match("f", chain_of("three"), *second)));
  EXPECT_EQ(get("f"), "three");
}

TEST_P(ObjectStoreConformance, OfSixteenRacingReplacersOneWins) {
  std::string etag = create("cas", "start");
  for (int round = 0; round < 20; ++round) {
    std::vector<rt::Task<Result<std::string>>> tasks;
    for (std::size_t i = 0; i < StoreHarness::kClients; ++i)
      tasks.push_back(store(i).put_if_match(
          "cas", chain_of(std::to_string(round) + " by " + std::to_string(i)), etag));
    auto results = run_all(harness_->runner(), std::move(tasks));
    int winners = 0;
    for (auto& result : results) {
      if (!result) {
        EXPECT_EQ(result.error().code, ErrorCode::precondition) << describe(result.error());
        continue;
      }
      ++winners;
      etag = *result;
    }
    ASSERT_EQ(winners, 1);
  }
}

TEST_P(ObjectStoreConformance, ListsByPrefixOnly) {
  for (const char* name : {"data/00/a", "data/00/b", "data/01/a", "dat", "data2/x", "snapshot/1"})
    put(name, "x");
  using Names = std::set<std::string>;
  EXPECT_EQ(list("data/"), (Names{"data/00/a", "data/00/b", "data/01/a"}));
  EXPECT_EQ(list("data/00/"), (Names{"data/00/a", "data/00/b"}));
  EXPECT_EQ(list("data/0"), (Names{"data/00/a", "data/00/b", "data/01/a"}));
  EXPECT_EQ(list("dat"), (Names{"data/00/a", "data/00/b", "data/01/a", "dat", "data2/x"}));
  EXPECT_EQ(list("data/00/b"), (Names{"data/00/b"}));
  EXPECT_EQ(list("nothing/"), Names{});
  EXPECT_EQ(list("").size(), 6u);
}

TEST_P(ObjectStoreConformance, AListedObjectHasItsSize) {
  put("s/one", "12345");
  auto page = run(store(1).list("s/", ""));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].size, 5u);
}

TEST_P(ObjectStoreConformance, PagesHoldEachObjectOnce) {
  std::set<std::string> names;
  std::vector<rt::Task<Result<std::string>>> tasks;
  for (int i = 0; i < 2'300; ++i) {
    std::string name = "page/" + std::to_string(i % 7) + "/" + std::to_string(i);
    names.insert(name);
    tasks.push_back(store().put(name, chain_of("x")));
  }
  for (auto& result : run_all(harness_->runner(), std::move(tasks))) ASSERT_TRUE(result);
  EXPECT_EQ(list("page/"), names);
}

TEST_P(ObjectStoreConformance, ADeletionDuringAListingHidesNothingElse) {
  std::vector<rt::Task<Result<std::string>>> tasks;
  for (int i = 0; i < 1'500; ++i)
    tasks.push_back(store().put("d/" + std::to_string(10'000 + i), chain_of("x")));
  for (auto& result : run_all(harness_->runner(), std::move(tasks))) ASSERT_TRUE(result);
  auto first = run(store().list("d/", ""));
  ASSERT_TRUE(first);
  ASSERT_FALSE(first->next.empty());
  std::set<std::string> seen;
  std::vector<std::string> gone;
  for (const ObjectInfo& object : first->objects) {
    seen.insert(object.name);
    gone.push_back(object.name);
  }
  auto failures = run(store().remove(gone));
  ASSERT_TRUE(failures);
  for (std::string next = first->next; !next.empty();) {
    auto page = run(store().list("d/", next));
    ASSERT_TRUE(page);
    for (const ObjectInfo& object : page->objects) EXPECT_TRUE(seen.insert(object.name).second);
    next = page->next;
  }
  EXPECT_EQ(seen.size(), 1'500u);
}

TEST_P(ObjectStoreConformance, DeletesManyAndAbsentOnesAreNoFailure) {
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) {
    names.push_back("del/" + std::to_string(i));
    if (i % 2 == 0) put(names.back(), "x");
  }
  put("del/kept", "y");
  auto failures = run(store(2).remove(names));
  ASSERT_TRUE(failures);
  EXPECT_TRUE(failures->empty());
  EXPECT_EQ(list("del/"), std::set<std::string>{"del/kept"});
  EXPECT_EQ(code(store().get("del/0")), ErrorCode::not_found);
}

TEST_P(ObjectStoreConformance, AFailedDeletionIsNamedAndTheOthersAreDone) {
  put("ok", "x");
  auto failures = run(store().remove({"bad//name", "ok"}));
  ASSERT_TRUE(failures);
  ASSERT_EQ(failures->size(), 1u);
  EXPECT_EQ(failures->front().first, "bad//name");
  EXPECT_EQ(code(store().get("ok")), ErrorCode::not_found);
}

TEST_P(ObjectStoreConformance, ADeletedNameCanBeCreatedAgain) {
  ASSERT_TRUE(run(store().put_if_absent("again", chain_of("one"))));
  ASSERT_TRUE(run(store().remove({"again"})));
  ASSERT_TRUE(run(store().put_if_absent("again", chain_of("two"))));
  EXPECT_EQ(get("again"), "two");
}

TEST_P(ObjectStoreConformance, TakesStrangeNames) {
  std::set<std::string> names = {"with space",
                                 "a%2Fb",
                                 "per%cent",
                                 "plus+and&more=",
                                 "semi;colon",
                                 ".hidden",
                                 "dir/.tmp/x",
                                 "-dash",
                                 "quote'\"\\`$",
                                 "\xc3\xa9t\xc3\xa9/\xe6\x97\xa5",
                                 "UPPER",
                                 "upper",
                                 "tilde~",
                                 "a.wlog",
                                 ".lock",
                                 "...",
                                 "star*?[x]",
                                 "a:b|c<d>",
                                 std::string(200, 'n')};
  for (const std::string& name : names) put(name, "of " + name);
  for (const std::string& name : names) EXPECT_EQ(get(name), "of " + name);
  EXPECT_EQ(list(""), names);
  auto failures = run(store().remove({names.begin(), names.end()}));
  ASSERT_TRUE(failures);
  EXPECT_TRUE(failures->empty());
  EXPECT_TRUE(list("").empty());
}

TEST_P(ObjectStoreConformance, RefusesNamesThatCouldLeaveTheirPlace) {
  for (const char* name : {"", "/a", "a/", "a//b", "..", "../a", "a/../b", ".", "a/./b", "a\nb",
                           "a\x7f", "\xff", "a\xc0\xaf"}) {
    EXPECT_EQ(code(store().put(name, chain_of("x"))), ErrorCode::invalid_argument) << name;
    EXPECT_EQ(code(store().get(name)), ErrorCode::invalid_argument) << name;
  }
  EXPECT_EQ(code(store().put(std::string(kNameBytesMax + 1, 'n'), chain_of("x"))),
            ErrorCode::invalid_argument);
}

TEST_P(ObjectStoreConformance, KeepsBigBodies) {
  std::string body = pattern_bytes(20'000'003, 42);
  BytesChain chain;
  Bytes whole = as_bytes(body);
  for (std::size_t at = 0; at < whole.size(); at += 3'000'000)
    chain.append(SharedBytes::copy_of(
        whole.subspan(at, std::min<std::size_t>(3'000'000, body.size() - at))));
  auto etag = run(store().put_if_absent("big", chain));
  ASSERT_TRUE(etag) << describe(etag.error());
  auto got = run(store(1).get("big"));
  ASSERT_TRUE(got);
  EXPECT_TRUE(as_text(got->view()) == body);
  auto range = run(store().get_range("big", 12'345'678, 1'000'001));
  ASSERT_TRUE(range);
  EXPECT_TRUE(as_text(range->view()) == body.substr(12'345'678, 1'000'001));
  auto info = run(store().head("big"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->etag, *etag);
}

TEST_P(ObjectStoreConformance, AReaderSeesOldOrNewButNothingBetween) {
  std::string old_body(300'000, 'o');
  std::string new_body(500'000, 'n');
  put("swap", old_body);
  std::vector<rt::Task<Result<SharedBytes>>> reads;
  struct Writer {
    static rt::Task<Result<SharedBytes>> write(ObjectStore& store, BytesChain body) {
      auto done = co_await store.put("swap", std::move(body));
      if (!done) co_return std::unexpected(done.error());
      co_return co_await store.get("swap");
    }
  };
  for (std::size_t i = 0; i < 30; ++i) reads.push_back(store(i % 16).get("swap"));
  reads.push_back(Writer::write(store(3), chain_of(new_body)));
  for (std::size_t i = 0; i < 30; ++i) reads.push_back(store(i % 16).get("swap"));
  for (auto& body : run_all(harness_->runner(), std::move(reads))) {
    ASSERT_TRUE(body) << describe(body.error());
    EXPECT_TRUE(as_text(body->view()) == old_body || as_text(body->view()) == new_body);
  }
  EXPECT_EQ(get("swap"), new_body);
}

}  // namespace weir::objstore
