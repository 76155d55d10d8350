#include "tests/sim/process.h"

#include <cstdio>

#include "broker/handlers/handlers.h"
#include "broker/server_options.h"
#include "commitlog/object_log.h"
#include "rt/sim/network.h"

namespace weir::sim {

namespace {
constexpr Duration kStartMax = 15s;
constexpr const char* kRoot = "/srv/weir";
}  // namespace

void SimLogger::write(LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields) {
  if (!verbose_ || level == LogLevel::debug) return;
  auto ms = node_.world().now().time_since_epoch() / 1ms;
  std::fprintf(stderr, "%8.3f %s %s\n", static_cast<double>(ms) / 1000, node_.host().c_str(),
               format_log_line(event, fields).c_str());
}

BrokerProcess::BrokerProcess(rt::sim::SimNode& node, Shared shared, const ClusterOptions& options,
                             engine::Options engine_options)
    : node_(node),
      options_(options),
      engine_options_(std::move(engine_options)),
      logger_(node, options.verbose),
      cache_pool_("cache", options.cache_bytes),
      memory_(64u << 20, node.loop()),
      peers_(node.loop(), node.network()) {
  if (options_.backend != Backend::files) open_memory(shared);
}

void BrokerProcess::open_memory(Shared shared) {
  store_ = std::make_unique<FaultyStore>(shared.store, node_, shared.weather);
  if (options_.backend == Backend::object_log)
    log_ = std::make_unique<commitlog::ObjectLog>(*store_, node_.random());
  else
    log_ = std::make_unique<FaultyLog>(shared.log, node_, shared.weather);
}

commitlog::CommitLog& BrokerProcess::log_of_engine() {
  if (options_.canary == Canary::early_truncation) {
    early_log_ = std::make_unique<EarlyTruncationLog>(*log_, *store_);
    return *early_log_;
  }
  if (options_.canary == Canary::merge_unguarded || options_.canary == Canary::clean_unread) {
    spoiled_log_ = std::make_unique<SpoiledReplaceLog>(*log_, options_.canary);
    return *spoiled_log_;
  }
  return *log_;
}

Result<void> BrokerProcess::open_files() {
  auto tree = objstore::FileTree::open(node_.files(), {kRoot}, node_.random());
  if (!tree) return std::unexpected(tree.error());
  tree_ = std::move(*tree);
  commitlog::FileLogOptions log_options;
  log_options.directory = std::string(kRoot) + "/log/0";
  log_options.segment_bytes_target = 256u << 10;
  log_options.segment_entries_max = 400;
  auto directory = commitlog::FileLogDirectory::open(node_.files(), std::move(log_options),
                                                     node_.random(), logger_);
  if (!directory) return std::unexpected(directory.error());
  directory_ = std::move(*directory);
  store_ = std::make_unique<objstore::FileStore>(node_.loop(), node_.workers(), *tree_);
  log_ = std::make_unique<commitlog::FileLog>(node_.loop(), node_.workers(), *directory_);
  if (options_.witness)
    witness_ = std::make_unique<engine::LockFileWitness>(
        node_.loop(), node_.workers(), node_.files(), std::string(kRoot) + "/.brokers");
  return {};
}

rt::Task<void> BrokerProcess::run() {
  if (options_.backend == Backend::files) {
    auto opened = open_files();
    if (!opened) {
      logger_.warn("start_failed", {{"error", describe(opened.error())}});
      failed_ = true;
      co_return;
    }
  }
  bool hasty = options_.canary == Canary::tombstone_dropped;
  engine::ClusterEngine::Parts parts{
      node_.loop(),    node_.random(), *store_,
      log_of_engine(), cache_pool_,    witness_.get(),
      logger_,         metrics_,       hasty ? &hasty_configs_ : nullptr};
  parts.workers = &node_.workers();
  if (options_.servers && !witness_) parts.peers = &peers_;
  engine_ = std::make_unique<engine::ClusterEngine>(parts, engine_options_);
  if (spoiled_log_) spoiled_log_->set_engine(engine_.get());
  auto started = co_await engine_->start(node_.loop().now() + kStartMax);
  if (started && options_.servers) started = start_server();
  if (started) {
    serving_ = true;
    co_return;
  }
  logger_.warn("start_failed", {{"error", describe(started.error())}});
  failed_ = true;
}

Result<void> BrokerProcess::start_server() {
  broker_ = std::make_unique<broker::Broker>(
      broker::BrokerParts{*engine_, node_.workers(), node_.random(), memory_, metrics_, logger_,
                          kafka_},
      broker::handlers::handler_table());
  auto bound =
      broker::bind_listeners(node_.network(), node_.loop(), {{"PLAINTEXT", {"*", Cluster::kPort}}});
  if (!bound) return std::unexpected(bound.error());
  auto options = broker::server_options(kafka_);
  if (!options) return std::unexpected(options.error());
  server_ = std::make_unique<broker::Server>(
      *broker_, *options, std::vector<rt::Loop*>{&node_.loop()}, std::move(*bound));
  server_->start();
  return {};
}

rt::Task<void> BrokerProcess::stop(MonoTime deadline) {
  serving_ = false;
  memory_.stop();
  peers_.stop();
  engine_->will_stop();
  if (server_) co_await server_->drain(deadline);
  co_await engine_->stop(deadline);
  co_await peers_.join();
  if (witness_) co_await witness_->withdraw();
  stopped_ = true;
}

}  // namespace weir::sim
