#include "app/run_broker.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "admin/admin_server.h"
#include "app/storage.h"
#include "base/decision_ring.h"
#include "base/metrics.h"
#include "broker/broker.h"
#include "broker/config/config_def.h"
#include "broker/config/effective_topic_configs.h"
#include "broker/handlers/handlers.h"
#include "broker/memory_budget.h"
#include "broker/server.h"
#include "broker/server_options.h"
#include "engine/cluster_engine.h"
#include "rt/asio/file_system.h"
#include "rt/asio/loop_thread.h"
#include "rt/asio/network.h"
#include "rt/asio/random.h"
#include "rt/asio/signals.h"
#include "rt/asio/workers.h"

namespace weir::app {

namespace {

/// For the ENSURE hook alone, which has nobody to ask: the ring that a dying broker prints.
std::atomic<const DecisionRing*> ring_to_dump{nullptr};

void dump_ring(const char*, const char*, int) {
  if (const DecisionRing* ring = ring_to_dump.load()) ring->dump(STDERR_FILENO);
}

void set_ring_to_dump(const DecisionRing* ring) {
  ring_to_dump.store(ring);
  set_ensure_hook(ring ? dump_ring : nullptr);
}

constexpr Duration kStartMax = 60s;
/// For the first answer of a remote store; a mistake in its URL or keys is known by then.
constexpr Duration kReachMax = 8s;
constexpr std::uint64_t kMemoryDefaultMax = 1ull << 30;
/// A hundred years: more would not fit into a duration.
constexpr std::int64_t kRetentionMinutesMax = 52'560'000;
/// Threads for file calls, and for compression and decompression.
constexpr std::size_t kWorkerThreads = 4;
constexpr std::size_t kResolverThreads = 2;
constexpr std::uint64_t kMergeBytesMin = 2u << 20;

std::uint64_t memory_of(const BrokerOptions& options) {
  if (options.memory_bytes) return *options.memory_bytes;
  auto ram = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
             static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(ram / 4, kMemoryDefaultMax);
}

broker::config::StaticValues kafka_values(const BrokerOptions& options) {
  broker::config::StaticValues values;
  for (const KafkaOption& option : options.kafka)
    values.insert_or_assign(option.name, option.value);
  return values;
}

/// A typing error must not become a broker that silently runs with defaults.
Result<void> check_kafka_options(const BrokerOptions& options) {
  for (const KafkaOption& option : options.kafka) {
    const broker::config::ConfigDef* def =
        broker::config::find_def(broker::config::broker_defs(), option.name);
    if (!def)
      return fail(ErrorCode::invalid_argument,
                  option.source + ": there is no Kafka broker option \"" + option.name +
                      "\"; check its spelling, or leave it out");
    std::string problem = broker::config::value_problem(*def, option.value);
    if (!problem.empty()) return fail(ErrorCode::invalid_argument, option.source + ": " + problem);
  }
  return {};
}

/// What clients are told: the advertised address where there is one, with the bound port where it
/// says 0.
state::BrokerEndpoint endpoint_of(const BrokerOptions& options, const ListenOption& listen,
                                  const rt::Endpoint& bound) {
  const AdvertiseOption* advertised = options.advertised(listen);
  rt::Endpoint at = advertised ? advertised->at : rt::Endpoint{listen.at.host, bound.port};
  if (at.port == 0) at.port = bound.port;
  if (at.host.empty() || at.host == "*" || at.host == "0.0.0.0" || at.host == "::")
    at.host = "localhost";
  return {listen.name, std::string(to_string(listen.protocol)), at.host, at.port};
}

/// Of an option that has a default; what is given was checked.
std::int64_t kafka_integer(const BrokerOptions& options, std::string_view name) {
  const broker::config::ConfigDef* def =
      broker::config::find_def(broker::config::broker_defs(), name);
  ENSURE(def != nullptr);
  std::string text = def->default_value;
  for (const KafkaOption& option : options.kafka)
    if (option.name == name) text = option.value;
  return broker::config::parse_integer(text).value_or(0);
}

engine::Options engine_options(const BrokerOptions& options, const std::string& version,
                               std::size_t cache_bytes) {
  engine::Options out;
  out.cluster_id = options.cluster_id.value_or("");
  out.node_id = options.node_id;
  out.zone = options.zone;
  out.shared_identity = options.identity == Identity::shared;
  out.software_version = version;
  if (options.flush_interval_min) out.flush_interval_min = *options.flush_interval_min;
  if (options.flush_interval_max) out.flush_interval_max = *options.flush_interval_max;
  if (options.inline_bytes_max) out.inline_bytes = *options.inline_bytes_max;
  out.segment_bytes = options.segment_bytes_target;
  out.cache_bytes = cache_bytes;
  const std::int64_t retention = kafka_integer(options, "offsets.retention.minutes");
  out.offsets_retention = std::min(retention, kRetentionMinutesMax) * 1min;
  out.offsets_retention_check = kafka_integer(options, "offsets.retention.check.interval.ms") * 1ms;
  return out;
}

/// Waits for readers and uploads in flight are short where the store is a directory: its log knows
/// the floor, and nothing there takes minutes.
engine::MaintenanceOptions maintenance_options(const BrokerOptions& options,
                                               const broker::config::StaticValues& given,
                                               std::uint64_t memory_bytes) {
  engine::MaintenanceOptions out;
  if (options.store_url.starts_with("file:") || options.store_url.starts_with("memory:")) {
    out.horizon_interval = 10s;
    out.deletion_delay = 10s;
    out.merge_interval = 10s;
  }
  out.log_grace = options.log_grace.value_or(Duration(0));
  auto interval = given.find("log.retention.check.interval.ms");
  if (interval != given.end())
    if (auto ms = broker::config::parse_integer(interval->second))
      out.retention_check = Duration(std::chrono::milliseconds(*ms));
  auto delay = given.find("log.segment.delete.delay.ms");
  if (delay != given.end())
    if (auto ms = broker::config::parse_integer(delay->second); ms && *ms >= 0) {
      out.deletion_delay = Duration(std::chrono::milliseconds(*ms));
      // An upload that takes longer is made again, so it is never very short.
      out.horizon_interval = std::clamp<Duration>(out.deletion_delay, 10s, out.horizon_interval);
    }
  out.compaction_memory_bytes =
      std::min<std::uint64_t>(out.compaction_memory_bytes, memory_bytes / 8);
  auto keys = given.find("log.cleaner.dedupe.buffer.size");
  if (keys != given.end())
    if (auto bytes = broker::config::parse_integer(keys->second); bytes && *bytes > 0)
      out.compaction_memory_bytes =
          std::min<std::uint64_t>(static_cast<std::uint64_t>(*bytes), memory_bytes / 2);
  auto backoff = given.find("log.cleaner.backoff.ms");
  if (backoff != given.end())
    if (auto ms = broker::config::parse_integer(backoff->second))
      out.compaction_interval = std::max<Duration>(std::chrono::milliseconds(*ms), 1s);
  // What a merge and a compaction hold while they work comes on top of the budget's pools.
  out.merge_pass_bytes =
      std::min<std::uint64_t>(out.merge_pass_bytes, std::max(memory_bytes * 3 / 8, kMergeBytesMin));
  out.merge_segment_bytes = std::min(out.merge_segment_bytes, out.merge_pass_bytes);
  return out;
}

/// Everything of one broker process, in the order of its life.
class BrokerProcess {
 public:
  BrokerProcess(rt::asio::AsioLoop& loop, const BrokerInputs& inputs, Logger& logger)
      : loop_(loop),
        options_(inputs.options),
        version_(inputs.version),
        environment_(inputs.environment),
        logger_(logger),
        workers_("worker", kWorkerThreads),
        resolvers_("resolver", kResolverThreads),
        network_(resolvers_),
        memory_(memory_of(inputs.options), loop),
        kafka_(kafka_values(inputs.options)) {}

  rt::Task<Result<int>> run();

 private:
  Result<void> bind();
  Result<void> start_admin();
  rt::Task<Result<void>> start();
  rt::Task<void> stop();
  rt::Task<void> drain_connections(MonoTime deadline);
  void print_ready() const;

  rt::asio::AsioLoop& loop_;
  const BrokerOptions& options_;
  std::string version_;
  const cli::Environment& environment_;
  Logger& logger_;
  Metrics metrics_;
  rt::asio::ThreadWorkers workers_;
  rt::asio::ThreadWorkers resolvers_;
  rt::asio::AsioNetwork network_;
  rt::asio::PosixFileSystem files_;
  rt::asio::SystemRandom random_;
  broker::MemoryBudget memory_;
  broker::config::StaticValues kafka_;
  broker::config::EffectiveTopicConfigs topic_configs_{kafka_};
  broker::ServerOptions server_options_;
  engine::Options engine_options_;
  std::vector<std::unique_ptr<rt::asio::LoopThread>> lane_threads_;
  std::vector<rt::Loop*> lanes_;
  std::vector<broker::BoundListener> bound_;
  std::vector<ReadyListener> ready_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<engine::ClusterEngine> engine_;
  std::unique_ptr<broker::Broker> broker_;
  std::unique_ptr<broker::Server> server_;
  std::unique_ptr<admin::AdminServer> admin_;
};

Result<void> BrokerProcess::bind() {
  auto server = broker::server_options(kafka_);
  if (!server) return std::unexpected(server.error());
  server_options_ = std::move(*server);
  unsigned lanes = options_.lanes.value_or(std::max(1u, std::thread::hardware_concurrency()));
  if (lanes <= 1) {
    lanes_.push_back(&loop_);
  } else {
    for (unsigned i = 0; i < lanes; ++i) {
      lane_threads_.push_back(std::make_unique<rt::asio::LoopThread>("lane-" + std::to_string(i)));
      lanes_.push_back(&lane_threads_.back()->loop());
    }
  }
  std::vector<broker::ListenerOptions> listeners;
  for (const ListenOption& listen : options_.listen) listeners.push_back({listen.name, listen.at});
  auto bound = broker::bind_listeners(network_, *lanes_.front(), listeners);
  if (!bound) return std::unexpected(bound.error());
  bound_ = std::move(*bound);
  engine_options_ = engine_options(options_, version_, memory_.cache.bytes_max());
  engine_options_.maintenance = maintenance_options(options_, kafka_, memory_of(options_));
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    rt::Endpoint at = bound_[i].listener->local();
    engine_options_.endpoints.push_back(endpoint_of(options_, options_.listen[i], at));
    ready_.push_back({options_.listen[i].protocol, at});
  }
  return {};
}

/// Before the engine starts: a long replay can be watched.
Result<void> BrokerProcess::start_admin() {
  if (!options_.admin) return {};
  admin::AdminSources sources{
      metrics_,
      {&memory_.in.pool(), &memory_.flush, &memory_.cache, &memory_.out.pool()},
      {&engine_->decisions()}};
  auto admin =
      admin::AdminServer::start(loop_, network_, *options_.admin, std::move(sources), logger_);
  if (!admin) return std::unexpected(admin.error());
  admin_ = std::move(*admin);
  return {};
}

rt::Task<Result<void>> BrokerProcess::start() {
  WEIR_CO_TRY(bind());
  auto storage = Storage::open({loop_, workers_, files_, random_, metrics_, logger_, environment_},
                               options_.store_url, options_.log_url);
  if (!storage) co_return std::unexpected(storage.error());
  storage_ = std::move(*storage);
  WEIR_CO_TRY(co_await storage_->start(loop_.now() + kReachMax));
  engine_ = std::make_unique<engine::ClusterEngine>(
      engine::ClusterEngine::Parts{loop_, random_, storage_->store(), storage_->log(),
                                   memory_.cache, storage_->witness(), logger_, metrics_,
                                   &topic_configs_, &workers_},
      engine_options_);
  set_ring_to_dump(&engine_->decisions());
  WEIR_CO_TRY(start_admin());
  WEIR_CO_TRY(co_await engine_->start(loop_.now() + kStartMax));
  broker_ = std::make_unique<broker::Broker>(
      broker::BrokerParts{*engine_, workers_, random_, memory_, metrics_, logger_, kafka_},
      broker::handlers::handler_table());
  server_ = std::make_unique<broker::Server>(*broker_, server_options_, lanes_, std::move(bound_));
  co_await rt::resume_on(*lanes_.front());
  server_->start();
  co_await rt::resume_on(loop_);
  if (admin_) admin_->set_engine(engine_.get());
  co_return Result<void>{};
}

void BrokerProcess::print_ready() const {
  std::optional<rt::Endpoint> admin;
  if (admin_) admin = admin_->local();
  std::string line = ready_line(ready_, admin) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

rt::Task<void> BrokerProcess::drain_connections(MonoTime deadline) {
  co_await rt::resume_on(*lanes_.front());
  co_await server_->drain(deadline);
  co_await rt::resume_on(loop_);
}

rt::Task<void> BrokerProcess::stop() {
  MonoTime deadline = loop_.now() + options_.drain_timeout;
  memory_.stop();
  if (server_) co_await drain_connections(deadline);
  if (admin_) {
    admin_->set_engine(nullptr);
    co_await admin_->stop();
  }
  if (engine_) co_await engine_->stop(deadline);
  if (storage_ && storage_->witness()) co_await storage_->witness()->withdraw();
  if (storage_) co_await storage_->stop();
  // Listeners that no server took over die on the loop that they belong to.
  co_await rt::resume_on(*lanes_.front());
  bound_.clear();
  co_await rt::resume_on(loop_);
}

rt::Task<Result<int>> BrokerProcess::run() {
  rt::asio::SystemSignals signals(loop_);
  Result<void> started = co_await start();
  if (started) {
    print_ready();
    int signal = co_await signals.wait();
    logger_.info("stopping", {{"signal", signal}});
  }
  co_await stop();
  // Buffers in the cache are counted by pools that live longer than the engine.
  server_.reset();
  broker_.reset();
  admin_.reset();
  set_ring_to_dump(nullptr);
  engine_.reset();
  storage_.reset();
  if (!started) co_return std::unexpected(started.error());
  co_return 0;
}

}  // namespace

Result<int> run_broker(rt::asio::AsioLoop& loop, const BrokerInputs& inputs, Logger& logger) {
  WEIR_TRY(check_kafka_options(inputs.options));
  BrokerProcess process(loop, inputs, logger);
  return rt::asio::block_on(loop, process.run());
}

}  // namespace weir::app
