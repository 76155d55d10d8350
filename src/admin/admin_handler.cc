#include "admin/admin_handler.h"

#include <optional>

#include "admin/pages.h"
#include "base/narrow.h"
#include "base/units.h"
#include "base/version.h"

namespace weir::admin {
namespace {

constexpr std::string_view kIndex =
    "weir admin\n\n"
    "/healthz          200 while the process works\n"
    "/readyz           200 while clients are served, else 503 with the reason\n"
    "/metrics          Prometheus text\n"
    "/debug/state      where the broker stands, as JSON\n"
    "/debug/decisions  the last decisions, as JSON (?limit=N)\n";

constexpr std::string_view kPaths[] = {"/",        "/healthz",     "/readyz",
                                       "/metrics", "/debug/state", "/debug/decisions"};

bool is_known(std::string_view path) {
  for (std::string_view known : kPaths)
    if (path == known) return true;
  return false;
}

std::int64_t gauge_value(std::uint64_t value) {
  return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : INT64_MAX;
}

std::size_t decisions_limit(const http::Request& request) {
  std::string_view text = request.query_value("limit");
  Result<std::int64_t> limit = parse_integer(text);
  if (!limit || *limit < 0) return DecisionRing::kDecisionsMax;
  return narrow<std::size_t>(*limit);
}

}  // namespace

/// What one look at the engine shows; nothing while there is none.
struct AdminHandler::Snapshot {
  std::optional<engine::Status> status;
  CatalogSummary catalog;
};

AdminHandler::AdminHandler(rt::Loop& loop, AdminSources sources)
    : loop_(loop),
      sources_(std::move(sources)),
      ready_(sources_.metrics.gauge("weir_ready", "Whether clients are served.")),
      folded_(sources_.metrics.gauge("weir_folded_position", "Last log position in the state.")),
      parked_(sources_.metrics.gauge("weir_parked_fetches", "Fetches that wait for data.")),
      parked_groups_(sources_.metrics.gauge("weir_parked_group_calls",
                                            "Joins and syncs that wait for their group.")),
      pending_(sources_.metrics.gauge("weir_pending_commands", "Commands not committed yet.")),
      barriers_(sources_.metrics.gauge("weir_barriers_waiting", "Barriers not passed yet.")),
      topics_(sources_.metrics.gauge("weir_topics", "Topics of the cluster.")),
      brokers_(sources_.metrics.gauge("weir_live_brokers", "Live brokers of the cluster.")) {
  std::string labels = "version=\"" + std::string(version()) + "\"";
  sources_.metrics.gauge("weir_build_info", "The version that runs.", labels).set(1);
}

rt::Task<AdminHandler::Snapshot> AdminHandler::snapshot() {
  Snapshot result;
  if (engine::Engine* engine = engine_) {
    co_await rt::resume_on(engine->loop());
    result.status = engine->status();
    const state::Catalog& catalog = engine->catalog();
    result.catalog = {.cluster_id = catalog.cluster_id(),
                      .topics = catalog.topic_count(),
                      .placement_epoch = catalog.placement_epoch(),
                      .brokers = catalog.brokers()};
    co_await rt::resume_on(loop_);
  }
  co_return result;
}

void AdminHandler::update_gauges(const Snapshot& snapshot) {
  for (const MemoryPool* pool : sources_.pools) {
    std::string labels = "pool=\"" + pool->name() + "\"";
    sources_.metrics.gauge("weir_memory_pool_used_bytes", "Reserved bytes of a pool.", labels)
        .set(gauge_value(pool->used()));
    sources_.metrics.gauge("weir_memory_pool_limit_bytes", "Size of a pool.", labels)
        .set(gauge_value(pool->bytes_max()));
  }
  ready_.set(snapshot.status && snapshot.status->ready ? 1 : 0);
  if (!snapshot.status) return;
  folded_.set(gauge_value(snapshot.status->folded.value));
  parked_.set(gauge_value(snapshot.status->parked_fetches));
  parked_groups_.set(gauge_value(snapshot.status->parked_group_calls));
  pending_.set(gauge_value(snapshot.status->pending_commands));
  barriers_.set(gauge_value(snapshot.status->barriers_waiting));
  topics_.set(gauge_value(snapshot.catalog.topics));
  brokers_.set(gauge_value(snapshot.catalog.brokers.size()));
}

rt::Task<http::Response> AdminHandler::handle(const http::Request& request) {
  if (!is_known(request.path))
    co_return http::Response{.status = 404, .body = "no such page; / lists them\n"};
  if (request.method != "GET" && request.method != "HEAD")
    co_return http::Response{.status = 405,
                             .body = "these pages can only be read\n",
                             .headers = {{"Allow", "GET, HEAD"}}};
  if (request.path == "/") co_return http::Response{.body = std::string(kIndex)};
  if (request.path == "/debug/decisions")
    co_return http::Response{.content_type = "application/json",
                             .body = decisions_page(sources_.rings, decisions_limit(request))};
  Snapshot now = co_await snapshot();
  if (request.path == "/healthz") co_return http::Response{.body = "ok\n"};
  if (request.path == "/metrics") {
    update_gauges(now);
    co_return http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                             .body = sources_.metrics.render()};
  }
  if (!now.status) co_return http::Response{.status = 503, .body = "starting\n"};
  if (request.path == "/readyz") {
    if (now.status->ready) co_return http::Response{.body = "ready\n"};
    co_return http::Response{.status = 503, .body = not_ready_reason(*now.status) + "\n"};
  }
  co_return http::Response{.content_type = "application/json",
                           .body = state_page(*now.status, now.catalog, sources_.pools)};
}

}  // namespace weir::admin
