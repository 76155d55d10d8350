// weir_make_log: a file store whose commit log is long, as a broker would have left it.
//
//   weir_make_log DIRECTORY ENTRIES TOPICS PARTITIONS TAIL
//
// After genesis, a registration and the topics (each with PARTITIONS partitions), every entry is
// one inline batch of one record for one partition, in turn; the last one takes the broker out of
// the cluster. Every entry is folded here, too, so that only a log whose commands were all applied
// is left behind. TAIL is the number of entries after the snapshot; with TAIL = ENTRIES there is no
// snapshot.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/narrow.h"
#include "commitlog/file_directory.h"
#include "engine/snapshotter.h"
#include "objstore/file/file_tree.h"
#include "record/builder.h"
#include "rt/asio/file_system.h"
#include "state/commands/append_spans.h"
#include "state/commands/create_topics.h"
#include "state/commands/deregister_broker.h"
#include "state/commands/register_broker.h"
#include "state/snapshot/snapshot.h"
#include "state/testing/log_builder.h"

namespace weir {
namespace {

constexpr std::int64_t kFirstTimestampMs = 1'700'000'000'000;
constexpr std::size_t kTopicsPerCommand = 1'000;
using Step = commitlog::FileLogDirectory::CreateStep::Kind;

struct Size {
  std::string directory;
  std::uint64_t entries = 0;
  std::uint64_t topics = 0;
  std::int32_t partitions = 0;
  std::uint64_t tail = 0;
};

class Maker {
 public:
  explicit Maker(Size size) : size_(std::move(size)) {}

  Result<void> run();

 private:
  Result<void> open();
  Result<void> write(SharedBytes entry);
  template <class Command>
  Result<void> command(const Command& command, const BytesChain& inline_data = {});
  Result<void> begin();
  Result<void> append(std::uint64_t number);
  Result<void> write_snapshot();

  Size size_;
  rt::asio::PosixFileSystem files_;
  rt::SeededRandom random_{1};
  NullLogger logger_;
  std::unique_ptr<commitlog::FileLogDirectory> log_;
  std::unique_ptr<objstore::FileTree> tree_;
  state::testing::LogBuilder builder_;
  state::State state_;
  Incarnation broker_ = state::testing::broker_id(1);
  CommandCounter counter_{1};
  std::vector<TopicId> topics_;
};

Result<void> Maker::open() {
  auto tree = objstore::FileTree::open(files_, {size_.directory, false}, random_);
  if (!tree) return std::unexpected(tree.error());
  tree_ = std::move(*tree);
  commitlog::FileLogOptions options;
  options.directory = size_.directory + "/log/0";
  options.sync = false;
  auto log = commitlog::FileLogDirectory::open(files_, options, random_, logger_);
  if (!log) return std::unexpected(log.error());
  log_ = std::move(*log);
  return {};
}

Result<void> Maker::write(SharedBytes entry) {
  auto view = state::decode_entry(entry);
  if (!view) return std::unexpected(view.error());
  Position at = view->header.position;
  BytesChain bytes(std::move(entry));
  auto step = log_->create_step(at, bytes);
  while (step && step->kind == Step::sync_first) {
    auto plan = log_->plan_sync(step->segment);
    auto synced = log_->sync(plan);
    log_->finish_sync(plan, synced.has_value());
    WEIR_TRY(std::move(synced));
    step = log_->create_step(at, bytes);
  }
  if (!step) return std::unexpected(step.error());
  if (step->kind != Step::appended)
    return fail(ErrorCode::precondition, "position " + std::to_string(at.value) +
                                             " was not appended; give an empty directory");
  state::Folded folded = state_.apply(*view);
  for (const state::CommandOutcome& outcome : folded.outcomes) {
    bool refused = outcome.status != state::CommandStatus::applied;
    for (const state::ItemOutcome& item : outcome.items)
      refused = refused || item.refusal != state::Refusal::none;
    if (refused)
      return fail(ErrorCode::internal, "the fold refused entry " + std::to_string(at.value));
  }
  return {};
}

template <class Command>
Result<void> Maker::command(const Command& command, const BytesChain& inline_data) {
  state::CommandGroup group{broker_, counter_, {state::testing::encoded(command)}};
  counter_ = counter_.next();
  return write(builder_.entry({std::move(group)}, inline_data));
}

Result<void> Maker::begin() {
  WEIR_TRY(write(builder_.genesis()));
  state::command::RegisterBroker registration;
  registration.endpoints.push_back({"PLAINTEXT", "plaintext", "maker", 9092});
  registration.software_version = "make_log";
  registration.feature_level_min = 1;
  registration.feature_level_max = 1;
  registration.session_timeout_ms = 9'000;
  WEIR_TRY(command(registration));
  while (topics_.size() < size_.topics) {
    state::command::CreateTopics create;
    while (create.topics.size() < kTopicsPerCommand && topics_.size() < size_.topics) {
      std::string name = "scale-" + std::to_string(topics_.size());
      topics_.push_back(state::testing::topic_id(name));
      create.topics.push_back({name, topics_.back(), size_.partitions, 1, {}});
    }
    WEIR_TRY(command(create));
  }
  return {};
}

Result<void> Maker::append(std::uint64_t number) {
  std::uint64_t partitions = static_cast<std::uint64_t>(size_.partitions);
  std::string value = "record " + std::to_string(number) + std::string(80, '.');
  WallMillis time(kFirstTimestampMs + narrow<std::int64_t>(number));
  record::BatchBuilder batch({});
  batch.append({.timestamp = time, .value = as_bytes(value)});
  auto bytes = std::move(batch).finish();
  if (!bytes) return std::unexpected(bytes.error());
  state::NewSpan span;
  span.at = {topics_[number / partitions % topics_.size()],
             PartitionIndex(static_cast<std::int32_t>(number % partitions))};
  span.bytes = narrow<std::uint32_t>(bytes->size());
  span.records = 1;
  span.batches = 1;
  span.max_timestamp_ms = time.value;
  state::command::AppendSpans spans;
  spans.columns = state::encode_spans(std::span(&span, 1));
  return command(spans, BytesChain(std::move(*bytes)));
}

Result<void> Maker::write_snapshot() {
  state::SnapshotWriter writer(state_);
  Position at = writer.position();
  while (!writer.step(1'000'000)) {
  }
  auto put = tree_->put(engine::snapshot_name(at, broker_, 1), writer.finish());
  if (!put) return std::unexpected(put.error());
  return {};
}

Result<void> Maker::run() {
  WEIR_TRY(open());
  WEIR_TRY(begin());
  for (std::uint64_t number = 0; builder_.next().value + 1 < size_.entries; ++number) {
    if (size_.entries - builder_.next().value == size_.tail) WEIR_TRY(write_snapshot());
    WEIR_TRY(append(number));
  }
  return command(state::command::DeregisterBroker{});
}

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: weir_make_log DIRECTORY ENTRIES TOPICS PARTITIONS TAIL\n");
    return 2;
  }
  weir::Size size;
  size.directory = argv[1];
  size.entries = std::strtoull(argv[2], nullptr, 10);
  size.topics = std::strtoull(argv[3], nullptr, 10);
  size.partitions = static_cast<std::int32_t>(std::strtol(argv[4], nullptr, 10));
  size.tail = std::strtoull(argv[5], nullptr, 10);
  if (size.topics == 0 || size.partitions <= 0) {
    std::fprintf(stderr, "weir_make_log: TOPICS and PARTITIONS must be above 0\n");
    return 2;
  }
  auto made = weir::Maker(std::move(size)).run();
  if (made) return 0;
  std::fprintf(stderr, "weir_make_log: %s\n", weir::describe(made.error()).c_str());
  return 1;
}
