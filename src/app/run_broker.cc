#include "app/run_broker.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "admin/admin_server.h"
#include "app/engine_options.h"
#include "app/machine.h"
#include "app/storage.h"
#include "base/decision_ring.h"
#include "base/metrics.h"
#include "base/units.h"
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
#include "rt/event.h"
#include "rt/scope.h"

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
/// The exit status of a process that a signal ended, as a shell would give it.
constexpr int kExitOfSignal = 128;
/// For the first answer of a remote store; a mistake in its URL or keys is known by then.
constexpr Duration kReachMax = 8s;
/// For the last answers of a store that is well, when clients took all of --drain-timeout.
constexpr Duration kStoreGrace = 500ms;
/// Threads for file calls, and for compression and decompression.
constexpr std::size_t kWorkerThreads = 4;
constexpr std::size_t kResolverThreads = 2;

std::uint64_t memory_of(const BrokerOptions& options) {
  return options.memory_bytes.value_or(memory_default());
}

/// A limit that is never reached is none.
Result<void> check_memory(const BrokerOptions& options) {
  const std::uint64_t wanted = memory_of(options), present = memory_of_machine();
  if (wanted <= present) return {};
  return fail(ErrorCode::invalid_argument,
              "--memory " + format_size(wanted) + " is more than the " +
                  format_size(present >> 20 << 20) +
                  " that this machine or container has; give a quarter to a half of that");
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

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == 0) return "localhost";
  return name.data();
}

/// What clients are told: the advertised address where there is one, with the bound port where it
/// says 0. An address that means every interface is no address for a client, and one that all
/// machines share ("localhost") would let the brokers of two machines displace each other.
state::BrokerEndpoint endpoint_of(const BrokerOptions& options, const ListenOption& listen,
                                  const rt::Endpoint& bound) {
  const AdvertiseOption* advertised = options.advertised(listen);
  rt::Endpoint at = advertised ? advertised->at : rt::Endpoint{listen.at.host, bound.port};
  if (at.port == 0) at.port = bound.port;
  if (at.host.empty() || at.host == "*" || at.host == "0.0.0.0" || at.host == "::")
    at.host = host_name();
  return {listen.name, std::string(to_string(listen.protocol)), at.host, at.port};
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
        kafka_(kafka_values(inputs.options)),
        peers_(loop, network_),
        end_wanted_(loop) {}

  rt::Task<Result<int>> run();

 private:
  Result<void> bind();
  Result<void> start_admin();
  rt::Task<Result<void>> start();
  rt::Task<void> stop();
  rt::Task<void> stop_engine_and_storage(MonoTime deadline);
  rt::Task<void> cut_storage(MonoTime deadline, rt::Event& stopped);
  rt::Task<void> drain_connections(MonoTime deadline, rt::Event& drained);
  rt::Task<void> watch_signals(rt::asio::SystemSignals& signals);
  rt::Task<void> watch_halt();
  void print_ready();

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
  engine::PeerWatch peers_;
  std::unique_ptr<engine::ClusterEngine> engine_;
  std::unique_ptr<broker::Broker> broker_;
  std::unique_ptr<broker::Server> server_;
  std::unique_ptr<admin::AdminServer> admin_;
  /// Notified when a signal came, or the engine halted.
  rt::Event end_wanted_;
  int signal_ = 0;
  bool serving_ = false;
};

Result<void> BrokerProcess::bind() {
  auto server = broker::server_options(kafka_);
  if (!server) return std::unexpected(server.error());
  server_options_ = std::move(*server);
  unsigned lanes = options_.lanes.value_or(lanes_default());
  if (lanes <= 1) {
    lanes_.push_back(&loop_);
  } else {
    for (unsigned i = 0; i < lanes; ++i) {
      lane_threads_.push_back(std::make_unique<rt::asio::LoopThread>("lane-" + std::to_string(i)));
      lanes_.push_back(&lane_threads_.back()->loop());
    }
  }
  std::vector<broker::ListenerOptions> listeners;
  listeners.reserve(options_.listen.size());
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
  admin::AdminSources sources{metrics_,
                              {&memory_.in.pool(), &memory_.flush, &memory_.cache,
                               &memory_.out.pool(), &memory_.decode.pool()},
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
      engine::ClusterEngine::Parts{
          loop_, random_, storage_->store(), storage_->log(), memory_.cache, storage_->witness(),
          logger_, metrics_, &topic_configs_, &storage_->store(objstore::RequestClass::cold_read),
          &storage_->store(objstore::RequestClass::maintenance), &storage_->maintenance_log(),
          &workers_, storage_->witness() ? nullptr : &peers_},
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

void BrokerProcess::print_ready() {
  serving_ = true;
  std::string addresses;
  for (const state::BrokerEndpoint& endpoint : engine_options_.endpoints)
    addresses +=
        (addresses.empty() ? "" : ",") + endpoint.host + ":" + std::to_string(endpoint.port);
  logger_.info("serving", {{"version", version_},
                           {"store", storage_->store().describe()},
                           {"cluster_id", engine_->catalog().cluster_id()},
                           {"new_cluster", engine_->founded() ? "yes" : "no"},
                           {"advertise", addresses}});
  std::optional<rt::Endpoint> admin;
  if (admin_) admin = admin_->local();
  std::string line = ready_line(ready_, admin) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// A start may replay for long, and a store may take long to let go: a signal that comes before the
/// broker serves, or a second one, ends the process as a kill would, which is always safe.
rt::Task<void> BrokerProcess::watch_signals(rt::asio::SystemSignals& signals) {
  while (int signal = co_await signals.wait()) {
    bool at_once = !serving_ || signal_ != 0;
    signal_ = signal;
    logger_.info(at_once ? "ending_at_once" : "stopping", {{"signal", signal}});
    if (at_once) std::_Exit(kExitOfSignal + signal);
    end_wanted_.notify_all();
  }
}

/// A broker that halted serves nothing any more: who started it is to hear of it.
rt::Task<void> BrokerProcess::watch_halt() {
  co_await engine_->halted();
  end_wanted_.notify_all();
}

rt::Task<void> BrokerProcess::drain_connections(MonoTime deadline, rt::Event& drained) {
  co_await rt::resume_on(*lanes_.front());
  co_await server_->drain(deadline);
  co_await rt::resume_on(loop_);
  drained.notify_all();
}

rt::Task<void> BrokerProcess::cut_storage(MonoTime deadline, rt::Event& stopped) {
  if (co_await stopped.wait_until(deadline)) co_return;
  logger_.warn("store_cut_off", {{"advice",
                                  "the store did not answer until the end of --drain-timeout; what "
                                  "was under way may or may not be stored"}});
  co_await storage_->cut();
}

/// Engine and storage wait for their requests, and a store that hangs would keep them for minutes.
rt::Task<void> BrokerProcess::stop_engine_and_storage(MonoTime deadline) {
  rt::Event stopped(loop_);
  rt::Scope scope(loop_);
  if (storage_) scope.spawn(cut_storage(std::max(deadline, loop_.now() + kStoreGrace), stopped));
  if (engine_) co_await engine_->stop(deadline);
  co_await peers_.join();
  if (storage_ && storage_->witness()) co_await storage_->witness()->withdraw();
  if (storage_) co_await storage_->stop();
  stopped.notify_all();
  co_await scope.join();
}

rt::Task<void> BrokerProcess::stop() {
  MonoTime deadline = loop_.now() + options_.drain_timeout;
  memory_.stop();
  peers_.stop();
  if (engine_) engine_->will_stop();
  rt::Event drained(loop_);
  rt::Scope draining(loop_);
  if (server_) {
    draining.spawn(drain_connections(deadline, drained));
    // Requests that wait for a store that hangs end only when the engine does.
    co_await drained.wait_until(deadline);
  }
  if (admin_) {
    admin_->set_engine(nullptr);
    co_await admin_->stop();
  }
  co_await stop_engine_and_storage(deadline);
  co_await draining.join();
  // Listeners that no server took over die on the loop that they belong to.
  co_await rt::resume_on(*lanes_.front());
  bound_.clear();
  co_await rt::resume_on(loop_);
}

rt::Task<Result<int>> BrokerProcess::run() {
  rt::asio::SystemSignals signals(loop_);
  rt::Scope watches(loop_);
  watches.spawn(watch_signals(signals));
  Result<void> ended = co_await start();
  if (ended) {
    print_ready();
    watches.spawn(watch_halt());
    while (signal_ == 0 && engine_->status().halted.empty()) co_await end_wanted_.wait();
    if (signal_ == 0)
      ended = fail(ErrorCode::unavailable, "the broker halted: " + engine_->status().halted);
  }
  co_await stop();
  signals.stop();
  co_await watches.join();
  // Buffers in the cache are counted by pools that live longer than the engine.
  server_.reset();
  broker_.reset();
  admin_.reset();
  set_ring_to_dump(nullptr);
  engine_.reset();
  storage_.reset();
  if (!ended) co_return std::unexpected(ended.error());
  co_return 0;
}

}  // namespace

Result<int> run_broker(rt::asio::AsioLoop& loop, const BrokerInputs& inputs, Logger& logger) {
  WEIR_TRY(check_kafka_options(inputs.options));
  WEIR_TRY(check_memory(inputs.options));
  BrokerProcess process(loop, inputs, logger);
  return rt::asio::block_on(loop, process.run());
}

}  // namespace weir::app
