#include "tests/sim/cluster_run.h"

#include <algorithm>

#include "tests/sim/maintenance.h"
#include "tests/sim/maintenance_canaries.h"

namespace weir::sim {

namespace {

constexpr Duration kStep = 100ms;

template <class T>
T pick(rt::Random& random, std::initializer_list<T> choices) {
  return choices.begin()[random.below(choices.size())];
}

ClusterOptions draw_cluster(const RunOptions& options, rt::Random& random, std::string& set_up) {
  ClusterOptions cluster;
  cluster.canary = options.canary;
  cluster.verbose = options.verbose;
  cluster.servers = options.workload == Workload::broker;
  cluster.brokers = 2 + random.below(2);
  cluster.backend = pick(random, {Backend::memory_log, Backend::object_log, Backend::files});
  if (options.canary != Canary::none) cluster.backend = Backend::memory_log;
  if (options.canary == Canary::early_truncation) cluster.backend = Backend::object_log;
  cluster.cache_bytes = pick<std::size_t>(random, {4'000, 100'000, 8u << 20});
  cluster.witness = random.below(2) == 0;
  engine::Options& engine = cluster.engine;
  engine.session_timeout = pick<Duration>(random, {2s, 3s, 9s});
  engine.flush_interval_min = pick<Duration>(random, {0ms, 0ms, 5ms, 50ms});
  engine.flush_interval_max = engine.flush_interval_min + pick<Duration>(random, {5ms, 100ms});
  engine.segment_bytes = pick<std::size_t>(random, {1'500, 8u << 20});
  engine.inline_bytes = pick<std::size_t>(random, {0, 800, 3'000, 1u << 20});
  if (options.canary == Canary::wrong_segment || options.canary == Canary::damaged_segment) {
    engine.inline_bytes = 0;
    cluster.cache_bytes = 4'000;
  }
  engine.commit_gap = pick<Duration>(random, {0ms, 0ms, 20ms});
  engine.poll_busy = pick<Duration>(random, {20ms, 100ms});
  engine.snapshot_entries = pick<std::uint64_t>(random, {20, 100, 1'000});
  engine.snapshot_interval_min = pick<Duration>(random, {1s, 5s});
  if (options.workload == Workload::maintenance) {
    engine.maintenance = draw_maintenance(random);
    engine.snapshot_entries = pick<std::uint64_t>(random, {20, 60});
    engine.snapshot_interval_min = 1s;
    cluster.one_wrong_clock = true;
    if (options.canary == Canary::careless_collector) engine.inline_bytes = 0;
  }
  set_up = std::to_string(cluster.brokers) + " brokers, " +
           std::string(to_string(cluster.backend)) + ", cache " +
           std::to_string(cluster.cache_bytes) + ", inline " + std::to_string(engine.inline_bytes);
  return cluster;
}

/// Trouble that lasts so long in fair weather does not pass.
constexpr Duration kTroubleMax = 30s;

rt::Task<void> read_all_of(Caller& caller, Topics& topics, std::size_t broker) {
  for (const PartitionRef& at : topics.live_partitions()) {
    MonoTime give_up = caller.loop().now() + kTroubleMax;
    for (;;) {
      auto read = co_await read_all(caller, broker, at);
      if (read) break;
      if (caller.loop().now() >= give_up) {
        caller.cluster().checker().report(
            Violation::lost, "final reading on b" + std::to_string(broker + 1) + " of " +
                                 at.topic.hex() + ": " + describe(read.error()));
        co_return;
      }
      co_await rt::sleep_for(caller.loop(), kStep);
    }
  }
}

rt::Task<void> look_at_members(Caller& caller, std::size_t broker, Look& out) {
  for (;;) {
    Request<Look> request = [](engine::ClusterEngine& engine) { return look_at(engine, {}, 4s); };
    auto look = co_await caller.call<Look>(broker, std::move(request), 4s);
    if (look && look->proved) {
      out = *look;
      co_return;
    }
    co_await rt::sleep_for(caller.loop(), kStep);
  }
}

}  // namespace

ClusterRun::ClusterRun(const RunOptions& options) : options_(options), world_(options.seed) {
  cluster_ =
      std::make_unique<Cluster>(world_, checker_, draw_cluster(options, world_.random(), set_up_));
  nemesis_ = std::make_unique<Nemesis>(*cluster_);
}

bool ClusterRun::run_while(const std::function<bool()>& predicate, Duration limit) {
  MonoTime end = world_.now() + limit;
  while (predicate()) {
    if (world_.now() >= end) return false;
    world_.run_for(kStep);
    tend();
    if (checker_.findings().size() >= kFindingsMax) return false;
  }
  return true;
}

void ClusterRun::tend() {
  cluster_->inspect();
  cluster_->revive();
  if (options_.canary == Canary::careless_collector) {
    for (std::size_t i = 0; i < cluster_->size(); ++i)
      if (engine::ClusterEngine* engine = cluster_->serving(i); engine && !cluster_->paused(i))
        collect_carelessly(engine->follower().state(), cluster_->store());
  }
  if (topics_) add_writers();
}

bool ClusterRun::run_task(rt::Task<void> task, Duration limit) {
  auto done = std::make_shared<bool>(false);
  auto wrapped = [](rt::Task<void> inner, std::shared_ptr<bool> flag) -> rt::Task<void> {
    co_await std::move(inner);
    *flag = true;
  };
  clients_->spawn(wrapped(std::move(task), done));
  return run_while([done] { return !*done; }, limit);
}

WriterOptions ClusterRun::draw_writer(PartitionRef at) {
  rt::Random& random = world_.random();
  WriterOptions writer;
  writer.at = at;
  writer.idempotent = random.below(4) != 0;
  writer.eager = random.below(2) == 0;
  writer.records_per_batch_max = pick<std::uint32_t>(random, {1, 8, 25});
  writer.value_bytes_max = pick<std::uint32_t>(random, {1, 60, 400});
  writer.codec = pick(random, {codec::Codec::none, codec::Codec::none, codec::Codec::lz4});
  writer.pace = pick<Duration>(random, {500ms, 2s, 5s});
  writer.time_out = pick<Duration>(random, {500ms, 2s, 5s});
  if (options_.workload == Workload::maintenance)
    writer.tombstones_percent = pick<std::uint32_t>(random, {0, 10, 30});
  if (options_.canary == Canary::wrong_segment) {
    // Batches of one shape, so that a wrong one is not noticed by its size.
    writer.records_per_batch_max = writer.value_bytes_max = 1;
    writer.codec = codec::Codec::none;
    writer.pace = 200ms;
  }
  return writer;
}

void ClusterRun::start_client(rt::sim::SimNode& node, Client& client) {
  clients_running_.push_back(&client);
  node.spawn(client.run());
}

void ClusterRun::add_writers() {
  for (const PartitionRef& at : topics_->live_partitions()) {
    if (!written_.insert(at).second) continue;
    std::uint64_t count = 1 + world_.random().below(2);
    for (std::uint64_t i = 0; i < count; ++i)
      options_.workload == Workload::broker ? add_kafka_writer(at) : add_writer(at);
  }
}

void ClusterRun::add_writer(PartitionRef at) {
  Caller& caller = clients_->make<Caller>(*cluster_, *clients_);
  start_client(*clients_, clients_->make<Writer>(caller, *topics_, draw_writer(at)));
}

KafkaClientParts ClusterRun::kafka_parts(rt::sim::SimNode& node) {
  std::vector<rt::Endpoint> bootstrap;
  for (std::size_t i = 0; i < cluster_->size(); ++i)
    bootstrap.push_back({cluster_->host(i), Cluster::kPort});
  return {node, checker_, *topics_, std::move(bootstrap)};
}

void ClusterRun::add_kafka_writer(PartitionRef at) {
  rt::Random& random = world_.random();
  KafkaWriterOptions writer;
  writer.at = at;
  for (const KnownTopic& topic : topics_->all)
    if (topic.id == at.topic) writer.topic = topic.name;
  writer.idempotent = random.below(4) != 0;
  writer.codec = pick(random, {codec::Codec::none, codec::Codec::lz4, codec::Codec::zstd});
  writer.batch_bytes_max = pick<std::size_t>(random, {500, 2'000, 20'000});
  writer.records_per_burst_max = pick<std::uint32_t>(random, {5, 30, 60});
  writer.value_bytes_max = pick<std::uint32_t>(random, {1, 60, 400});
  writer.pace = pick<Duration>(random, {500ms, 2s, 4s});
  writer.delivery_timeout = pick<Duration>(random, {20s, 60s});
  rt::sim::SimNode& node = *kafka_nodes_[random.below(kafka_nodes_.size())];
  start_client(node, node.make<KafkaWriter>(kafka_parts(node), std::move(writer)));
}

void ClusterRun::add_readers() {
  for (int i = 0; i < 3; ++i) {
    std::string name = "reader " + std::to_string(i);
    if (options_.workload == Workload::broker) {
      rt::sim::SimNode& node = *kafka_nodes_[static_cast<std::size_t>(i) % kafka_nodes_.size()];
      start_client(node, node.make<KafkaReader>(kafka_parts(node), name));
    } else {
      Caller& caller = clients_->make<Caller>(*cluster_, *clients_);
      start_client(*clients_, clients_->make<Reader>(caller, *topics_, name));
    }
  }
}

void ClusterRun::begin() {
  for (std::size_t i = 0; i < cluster_->size(); ++i) cluster_->start(i);
  clients_ = &world_.start_node({.host = "clients"});
  Topics& topics = clients_->make<Topics>();
  admin_caller_ = &clients_->make<Caller>(*cluster_, *clients_);
  admin_ = &clients_->make<Admin>(*admin_caller_, topics);
  if (options_.workload == Workload::maintenance) {
    admin_->use_retention();
    cluster_->set_true_clock(clients_->loop());
    checker_.before_judging([this] { cluster_->inspect(); });
  }
  for (int i = 0; i < 3; ++i)
    if (!run_task(admin_->create("first" + std::to_string(i), 1 + i), kRecoveryMax))
      checker_.report(Violation::stuck, "no topic could be created");
  topics_ = &topics;
  clients_->spawn(admin_->run());
  Caller& audits = clients_->make<Caller>(*cluster_, *clients_);
  start_client(*clients_, clients_->make<Auditor>(audits, topics));
  for (int i = 0; i < 2 && options_.workload == Workload::broker; ++i) {
    std::string host = "c" + std::to_string(i + 1);
    kafka_nodes_.push_back(&world_.start_node({.host = host}));
    nemesis_->add_client_host(host);
  }
  add_readers();
  if (options_.workload == Workload::groups) add_group();
}

void ClusterRun::struggle() {
  MonoTime begun = world_.now();
  auto enough = [&] {
    return world_.now() - begun >= kFaultyTime && nemesis_->faults() >= kFaultsMin &&
           checker_.records_sent() >= options_.records;
  };
  while (!enough() && checker_.findings().size() < kFindingsMax) {
    Duration wait = nemesis_->strike();
    if (!run_while([&, until = world_.now() + wait] { return world_.now() < until; }, kRunMax))
      return;
    if (world_.now() - begun > kRunMax) {
      checker_.report(Violation::stuck,
                      "too few records were sent: " + std::to_string(checker_.records_sent()));
      return;
    }
  }
}

bool ClusterRun::all_ready() {
  for (std::size_t i = 0; i < cluster_->size(); ++i) {
    engine::ClusterEngine* engine = cluster_->serving(i);
    if (!engine || !engine->status().ready) return false;
  }
  return true;
}

void ClusterRun::recover() {
  nemesis_->mend();
  admin_->finish();
  if (!run_while([&] { return !admin_->done() || !all_ready(); }, kRecoveryMax))
    checker_.report(Violation::stuck, "not all brokers became ready after the last fault");
  end(clients_running_);
  if (!members_.empty()) recover_group();
}

void ClusterRun::end(const std::vector<Client*>& clients) {
  for (Client* client : clients) client->finish();
  auto busy = [&] {
    return !std::all_of(clients.begin(), clients.end(),
                        [](const Client* client) { return client->done(); });
  };
  if (run_while(busy, kRecoveryMax)) return;
  for (const Client* client : clients)
    if (!client->done())
      checker_.report(Violation::stuck, "not answered after the last fault: " + client->describe());
}

void ClusterRun::check_members() {
  // Whoever is gone is expired by then.
  world_.run_for(cluster_->options().engine.session_timeout * 3 + 10s);
  tend();
  std::vector<NodeId> expected;
  for (std::size_t i = 0; i < cluster_->size(); ++i)
    if (engine::ClusterEngine* engine = cluster_->serving(i)) expected.push_back(engine->node_id());
  std::sort(expected.begin(), expected.end());
  for (std::size_t i = 0; i < cluster_->size(); ++i) {
    Look look;
    if (!run_task(look_at_members(*admin_caller_, i, look), kRecoveryMax)) {
      checker_.report(Violation::stuck, "b" + std::to_string(i + 1) + " does not answer");
      return;
    }
    if (look.brokers != expected)
      checker_.report(Violation::stuck, "b" + std::to_string(i + 1) + " lists " +
                                            std::to_string(look.brokers.size()) + " brokers, " +
                                            std::to_string(expected.size()) + " live");
  }
}

namespace {

rt::Task<void> audit_on(Caller& caller, std::size_t broker, std::vector<Finding>& out) {
  auto retention = caller.cluster().checker().retention();
  Request<std::vector<Finding>> request = [retention](engine::ClusterEngine& engine) {
    return audit_storage(engine, retention);
  };
  auto answer = co_await caller.call<std::vector<Finding>>(broker, std::move(request), kTroubleMax);
  if (answer)
    out = *answer;
  else
    out = {{Violation::stuck, "the audit was not answered: " + describe(answer.error())}};
}

}  // namespace

/// The quiet after the storm: nothing may be left over, missing, or kept for too long. Compaction
/// with a small table of keys takes many runs, and every one leaves objects to be deleted.
void ClusterRun::settle() {
  MonoTime give_up = world_.now() + kRecoveryMax * 5;
  std::vector<Finding> left;
  do {
    left.clear();
    run_while([until = world_.now() + 1s, this] { return world_.now() < until; }, kRunMax);
    if (!run_task(audit_on(*admin_caller_, 0, left), kRecoveryMax)) break;
  } while (!left.empty() && world_.now() < give_up);
  for (const Finding& finding : left) checker_.report(finding.kind, finding.text);
}

void ClusterRun::read_everything() {
  for (std::size_t i = 0; i < cluster_->size(); ++i)
    if (!run_task(read_all_of(*admin_caller_, *topics_, i), kRecoveryMax)) {
      checker_.report(Violation::stuck,
                      "the final reading on b" + std::to_string(i + 1) + " did not end");
      return;
    }
}

Report ClusterRun::report() {
  Report report;
  report.seed = options_.seed;
  report.set_up = set_up_;
  report.records_sent = checker_.records_sent();
  report.records_acknowledged = checker_.records_acknowledged();
  report.records_read = checker_.records_read();
  report.faults = nemesis_->faults();
  report.faults_by_kind = nemesis_->by_kind();
  report.virtual_seconds = static_cast<double>(world_.now().time_since_epoch() / 1ms) / 1000;
  world_.note("end", report.records_acknowledged ^ report.records_read << 32);
  report.trace_hash = world_.trace_hash();
  report.findings = checker_.findings();
  return report;
}

Report ClusterRun::run() {
  begin();
  if (checker_.findings().empty()) struggle();
  auto go_on = [this] { return checker_.findings().size() < kFindingsMax; };
  if (go_on() && topics_) recover();
  bool stuck = std::any_of(checker_.findings().begin(), checker_.findings().end(),
                           [](const Finding& f) { return f.kind == Violation::stuck; });
  if (go_on() && topics_ && !stuck) {
    check_members();
    if (options_.workload == Workload::maintenance) settle();
    read_everything();
    // Once more from the store alone.
    for (std::size_t i = 0; i < cluster_->size(); ++i) cluster_->kill(i);
    for (std::size_t i = 0; i < cluster_->size(); ++i) cluster_->start(i);
    if (!run_while([this] { return !all_ready(); }, kRecoveryMax))
      checker_.report(Violation::stuck, "the brokers did not start again");
    else
      read_everything();
    checker_.finish();
  }
  return report();
}

}  // namespace weir::sim
