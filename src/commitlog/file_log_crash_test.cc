// Power losses, kills, failing syncs and full disks at random points, under several brokers at
// once. What may never happen: an entry that was answered (won, or by a read) is gone or another
// afterwards.
#include <cstdlib>
#include <map>

#include "commitlog/sim_client_for_test.h"
#include "objstore/conformance_harness.h"
#include "rt/sim/disk.h"

namespace weir::commitlog {
namespace {

/// Each has three lives that end in a power loss or in the death of all brokers. The long suite
/// asks for more.
std::uint64_t rounds() {
  const char* text = std::getenv("WEIR_TEST_ROUNDS");
  return text ? std::strtoull(text, nullptr, 10) : 170;
}

/// What all brokers of a round have been told.
struct Answers {
  std::map<std::uint64_t, std::string> entries;
  std::string contradiction;

  void told(std::uint64_t at, std::string_view text, std::string_view how) {
    auto [found, fresh] = entries.emplace(at, text);
    if (!fresh && found->second != text)
      contradiction = std::string(how) + " says another entry at " + std::to_string(at);
  }
};

struct Plan {
  bool sync = true;
  std::uint32_t entries_max = 65'536;
  std::uint64_t salt = 0;  // of the entries' contents
};

/// Appends at what it thinks is the tail, and reads what others wrote, until it is stopped.
rt::Task<void> write_and_read(FileLog& log, rt::Random& random, std::string who, Answers& answers,
                              std::uint64_t from) {
  std::uint64_t at = from;
  for (int i = 0; i < 40; ++i) {
    std::string text = who + " " + std::to_string(i) + " ";
    text.resize(text.size() + random.below(random.below(8) == 0 ? 9'000 : 300), 'x');
    Result<CreateOutcome> outcome = co_await log.create(Position(at), objstore::chain_of(text));
    if (outcome && *outcome == CreateOutcome::won) answers.told(at, text, "a create");
    if (!outcome) continue;
    Result<std::optional<SharedBytes>> found = co_await log.read(Position(at));
    if (found && *found) {
      std::string read(as_text((*found)->view()));
      answers.told(at, read, "a read");
      ++at;
    }
  }
}

struct Broker {
  Broker(rt::sim::SimNode& node, const Plan& plan)
      : client(node, {.directory = "/w/log/0",
                      .sync = plan.sync,
                      .segment_bytes_target = 40'000,
                      .segment_entries_max = plan.entries_max}) {}
  SimClient client;
};

/// Starts brokers on one machine that write until the lights go out.
void run_life(rt::sim::SimWorld& world, const Plan& plan, Answers& answers) {
  constexpr std::size_t kBrokers = 3;
  rt::Random& random = world.random();
  rt::sim::SimDisk& disk = world.disk("m");
  std::uint64_t from = answers.entries.empty() ? 0 : answers.entries.rbegin()->first + 1;
  from -= std::min<std::uint64_t>(from, random.below(3));
  std::vector<rt::sim::SimNode*> nodes;
  for (std::size_t i = 0; i < kBrokers; ++i) {
    rt::sim::SimNode& node = world.start_node({.host = std::to_string(i), .machine = "m"});
    nodes.push_back(&node);
    Broker& broker = node.make<Broker>(node, plan);
    node.spawn(write_and_read(broker.client.log(), node.random(),
                              std::to_string(plan.salt) + "." + std::to_string(i), answers, from));
    if (random.below(3) == 0) node.files().kill_after(random.below(400));
  }
  if (random.below(3) == 0) disk.set_error_ppm(static_cast<std::uint32_t>(random.below(60'000)));
  if (random.below(4) == 0) disk.set_capacity(disk.used() + random.below(200'000));
  world.run_while([&] { return true; }, 1ms * static_cast<std::int64_t>(random.below(300)));
  disk.set_error_ppm(0);
  disk.set_capacity(1u << 30);
}

void kill_all(rt::sim::SimWorld& world) {
  for (const char* host : {"0", "1", "2"})
    if (rt::sim::SimNode* node = world.node(host)) node->kill();
}

/// Reads the log with a fresh broker and compares.
void check_life(rt::sim::SimWorld& world, const Plan& plan, Answers& answers) {
  rt::sim::SimNode& node = world.start_node({.host = "check", .machine = "m"});
  FileLog& log = node.make<Broker>(node, plan).client.log();
  struct Check {
    static rt::Task<void> run(FileLog& log, Answers& answers) {
      Result<std::vector<SharedBytes>> all =
          co_await log.read_many(Position(0), 100'000, std::size_t{1} << 30);
      EXPECT_TRUE(all) << describe(all.error());
      if (!all) co_return;
      for (const auto& [at, text] : answers.entries) {
        EXPECT_LT(at, all->size()) << "lost: " << text.substr(0, 20);
        if (at >= all->size()) co_return;
        EXPECT_TRUE(as_text((*all)[at].view()) == text)
            << "position " << at << " was " << text.substr(0, 20);
      }
      for (std::uint64_t at = 0; at < all->size(); ++at)
        answers.told(at, as_text((*all)[at].view()), "the replay");
      // The log goes on.
      Result<CreateOutcome> outcome =
          co_await log.create(Position(all->size()), objstore::chain_of("after"));
      EXPECT_TRUE(outcome && *outcome == CreateOutcome::won);
      if (outcome && *outcome == CreateOutcome::won) answers.told(all->size(), "after", "a create");
    }
  };
  node.spawn(Check::run(log, answers));
  EXPECT_TRUE(world.run_while([&] { return node.running() != 0; }, 1h));
  node.exit();
}

std::uint64_t run_round(std::uint64_t seed, bool sync) {
  rt::sim::SimWorld world(seed);
  Plan plan{.sync = sync, .entries_max = static_cast<std::uint32_t>(1 + world.random().below(12))};
  Answers answers;
  for (std::uint64_t life = 0; life < 3; ++life) {
    plan.salt = life;
    run_life(world, plan, answers);
    // A killed process leaves its writes in the page cache; what a reader is told from there must
    // hold through the power loss that comes afterwards.
    if (world.random().below(2) == 0) world.lose_power("m");
    kill_all(world);
    check_life(world, plan, answers);
    EXPECT_EQ(answers.contradiction, "");
    if (world.random().below(2) == 0) world.lose_power("m");
  }
  return answers.entries.size();
}

TEST(FileLogCrash, NothingThatWasAnsweredIsLostOrChanged) {
  std::uint64_t entries = 0;
  for (std::uint64_t seed = 1; seed <= rounds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    entries += run_round(seed, true);
    if (testing::Test::HasFailure()) break;
  }
  // Otherwise the rounds tested nothing.
  EXPECT_GT(entries, rounds() * 10);
}

// The canary of the test above: without syncs it must find losses.
TEST(FileLogCrash, WithoutSyncsItFindsLosses) {
  int losses = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    rt::sim::SimWorld world(seed);
    Plan plan{.sync = false};
    Answers answers;
    run_life(world, plan, answers);
    world.lose_power("m");
    rt::sim::SimNode& node = world.start_node({.host = "check", .machine = "m"});
    FileLog& log = node.make<Broker>(node, plan).client.log();
    Result<std::vector<SharedBytes>> all = fail(ErrorCode::internal, "not read");
    struct Read {
      static rt::Task<void> run(FileLog& log, Result<std::vector<SharedBytes>>& all) {
        all = co_await log.read_many(Position(0), 100'000, std::size_t{1} << 30);
      }
    };
    node.spawn(Read::run(log, all));
    ASSERT_TRUE(world.run_while([&] { return node.running() != 0; }, 1h));
    node.exit();
    if (!all || all->size() < answers.entries.size()) ++losses;
  }
  EXPECT_GT(losses, 0);
}

}  // namespace
}  // namespace weir::commitlog
