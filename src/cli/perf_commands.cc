#include "cli/perf_commands.h"

#include "base/narrow.h"
#include "client/bootstrap.h"
#include "perf/connect_load.h"
#include "perf/consumer_load.h"
#include "perf/raw_producer.h"
#include "perf/stamp.h"

namespace weir::cli {
namespace {

/// Opens the connections that --connections asks for, to a topic that --partitions may make.
rt::Task<Result<void>> open_links(Session& session, perf::Links& links) {
  const std::string& topic = session.names.front();
  const Settings& settings = session.settings;
  if (settings.command().find("partitions") && settings.has("partitions"))
    WEIR_CO_TRY(co_await perf::ensure_topic(
        session.cluster,
        {.name = topic, .partitions = narrow<std::int32_t>(settings.integer("partitions"))},
        session.deadline()));
  co_return co_await links.open(
      {.topic = topic, .connections = narrow<std::size_t>(settings.integer("connections"))},
      session.deadline());
}

ExitStatus end(Session& session, const Result<void>& printed) {
  Result<void> flushed = session.console.flush();
  const bool written = printed && flushed;
  return written || session.console.is_closed() ? ExitStatus::success : ExitStatus::failed;
}

}  // namespace

rt::Task<ExitStatus> perf_produce(Session& session, rt::Network& network) {
  Result<perf::ProduceOptions> options = perf_produce_options(session);
  if (!options) co_return session.fail(options.error());
  const bool raw = session.settings.flag("raw");
  if (session.settings.has("partitions-per-request")) {
    if (!raw)
      co_return session.fail(
          {ErrorCode::invalid_argument, "--partitions-per-request is for --raw alone"});
    options->partitions_per_request =
        narrow<std::size_t>(session.settings.integer("partitions-per-request"));
  }
  perf::Links links(session.cluster, network);
  Result<perf::Outcome> outcome;
  Result<void> opened = co_await open_links(session, links);
  if (!opened) {
    outcome = std::unexpected(opened.error());
  } else if (raw) {
    perf::RawProducer producer(links, *options);
    outcome = co_await producer.run();
  } else {
    perf::RecordProducer producer(links, *options);
    outcome = co_await producer.run();
  }
  co_await links.close();
  if (!outcome) co_return session.fail(outcome.error());
  co_return end(session, print_perf(session, {.what = "produce", .outcome = *outcome}));
}

rt::Task<ExitStatus> perf_consume(Session& session, rt::Network& network) {
  Result<perf::Amount> amount = perf_amount(session.settings, std::nullopt);
  if (!amount) co_return session.fail(amount.error());
  const perf::ConsumeOptions options{
      .topic = session.names.front(), .amount = *amount, .timeout = perf_timeout(session.settings)};
  perf::Links links(session.cluster, network);
  Result<perf::Outcome> outcome;
  Result<void> opened = co_await open_links(session, links);
  if (opened) {
    perf::ConsumerLoad consumer(links, options);
    outcome = co_await consumer.run();
  } else {
    outcome = std::unexpected(opened.error());
  }
  co_await links.close();
  if (!outcome) co_return session.fail(outcome.error());
  co_return end(session, print_perf(session, {.what = "consume", .outcome = *outcome}));
}

rt::Task<ExitStatus> perf_e2e(Session& session, rt::Network& network) {
  Result<perf::ProduceOptions> options = perf_produce_options(session);
  if (!options) co_return session.fail(options.error());
  options->stamps = true;
  if (options->payload.value_bytes < perf::kStampBytes)
    co_return session.fail(
        {ErrorCode::invalid_argument, "--record-bytes: a record needs 8 bytes, to hold its time"});
  if (options->bytes_per_second == 0)
    co_return session.fail({ErrorCode::invalid_argument,
                            "--rate is needed: without it records wait for each other, and only "
                            "the length of the queue would be measured"});
  perf::Links producing(session.cluster, network), consuming(session.cluster, network);
  Result<perf::EndToEndOutcome> outcome;
  Result<void> opened = co_await open_links(session, producing);
  if (opened) opened = co_await open_links(session, consuming);
  if (opened) {
    perf::EndToEnd run({.producing = producing, .consuming = consuming}, *options);
    outcome = co_await run.run();
  } else {
    outcome = std::unexpected(opened.error());
  }
  co_await producing.close();
  co_await consuming.close();
  if (!outcome) co_return session.fail(outcome.error());
  co_return end(session, print_perf(session, {.what = "e2e",
                                              .outcome = outcome->consumed,
                                              .produced = &outcome->produced}));
}

rt::Task<ExitStatus> perf_connect(Session& session, rt::Network& network) {
  const Settings& settings = session.settings;
  std::optional<Duration> hold = settings.duration("hold");
  if (!hold)
    co_return session.fail(
        {ErrorCode::invalid_argument, "--hold forever would never print anything"});
  Result<client::ClusterOptions> cluster = cluster_of(settings);
  if (!cluster) co_return session.fail(cluster.error());
  const perf::ConnectOptions options{
      .bootstrap = std::move(cluster->bootstrap),
      .connections = narrow<std::size_t>(settings.integer("connections")),
      .hold = *hold,
      .per_second = static_cast<double>(settings.integer("rate")),
      .timeout = perf_timeout(settings)};
  perf::ConnectLoad load({session.cluster, network}, options, [&session, &options] {
    if (!session.json())
      (void)session.console.out(std::to_string(options.connections) + " connections are open\n");
    else
      (void)session.console.out("{\"held\":" + std::to_string(options.connections) + "}\n");
    (void)session.console.flush();
  });
  Result<perf::Outcome> outcome = co_await load.run();
  if (!outcome) co_return session.fail(outcome.error());
  co_return end(
      session,
      print_perf(session, {.what = "connect", .unit = "connections", .outcome = *outcome}));
}

}  // namespace weir::cli
