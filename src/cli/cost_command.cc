#include "cli/cost_command.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/table.h"

namespace weir::cli {
namespace {

constexpr OptionSpec kOptions[] = {
    {.name = "store",
     .kind = OptionKind::choice,
     .value_name = "KIND",
     .help = "The store whose prices count: s3 (Standard), s3-express (Express One Zone), or gcs "
             "(Standard).",
     .fallback = "s3",
     .choices = "s3|s3-express|gcs"},
    {.name = "load",
     .kind = OptionKind::size,
     .value_name = "SIZE",
     .help = "Record bytes that producers bring in a second, all brokers together.",
     .fallback = "1MiB"},
    {.name = "brokers",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Brokers that share the load; with --admin, brokers that work like the one asked.",
     .fallback_note = "3, with --admin 1",
     .least = 1,
     .most = 10'000},
    {.name = "retention",
     .kind = OptionKind::duration,
     .value_name = "DURATION",
     .help = "How long records are kept.",
     .fallback = "7d"},
    {.name = "stored-percent",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "What is left of a hundred bytes by weir.storage.compression.",
     .fallback = "100",
     .least = 1,
     .most = 100},
    {.name = "store-reads",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "How many times each record is read from the store, by consumers that are behind.",
     .fallback = "0",
     .least = 0,
     .most = 1'000},
    {.name = "consumers",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Groups that read each record; counts for traffic between zones.",
     .fallback = "1",
     .least = 0,
     .most = 1'000},
    {.name = "cross-zone-percent",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Part of the traffic with clients that crosses zones; 0 where clients name theirs.",
     .fallback = "0",
     .least = 0,
     .most = 100},
    {.name = "request-budget",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "As for the broker.",
     .fallback_note = "by the store",
     .least = 1,
     .most = 1'000'000},
    {.name = "admin",
     .kind = OptionKind::url,
     .value_name = "URL",
     .help = "Take the load from the counters of this broker, as http://localhost:9093."},
    {.name = "seconds",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "How long the counters are watched.",
     .fallback = "30",
     .least = 1,
     .most = 86'400},
    {.name = "output",
     .kind = OptionKind::choice,
     .value_name = "text|json",
     .help = "For people, or one JSON value for programs.",
     .fallback = "text",
     .choices = "text|json",
     .from_environment = true},
    {.name = "json", .kind = OptionKind::flag, .help = "Short for --output json."},
};

constexpr CommandSpec kCost = {
    .path = "cost",
    .summary = "Estimate the monthly bill of the store for a load, or for a running broker.",
    .description =
        "Requests, storage and transfer at list prices of one region. Machines, taxes, discounts\n"
        "for volume and traffic to other regions are left out. docs/cost.md explains the model.",
    .options = kOptions,
    .examples =
        "weir cost --load 100KB --brokers 3\n"
        "weir cost --store gcs --load 50MB --retention 1d --json\n"
        "weir cost --admin http://localhost:9093 --seconds 60"};

objstore::StoreKind store_of(std::string_view text) {
  if (text == "gcs") return objstore::StoreKind::gcs;
  return text == "s3" ? objstore::StoreKind::s3 : objstore::StoreKind::s3_express;
}

double percent(const Settings& settings, std::string_view name) {
  return static_cast<double>(settings.integer(name)) / 100;
}

CostLoad load_of(const Settings& settings) {
  CostLoad load;
  load.store = store_of(settings.text("store"));
  load.bytes_per_second = static_cast<double>(settings.size("load"));
  load.brokers = settings.has("brokers") ? static_cast<std::uint64_t>(settings.integer("brokers"))
                 : settings.has("admin") ? 1
                                         : 3;
  // What is kept for ever has no bill of a month; ten years stand for it.
  load.retention = settings.duration("retention").value_or(87'600h);
  load.stored_share = percent(settings, "stored-percent");
  load.reads_from_store = static_cast<double>(settings.integer("store-reads"));
  load.consumers = static_cast<double>(settings.integer("consumers"));
  load.cross_zone_share = percent(settings, "cross-zone-percent");
  if (settings.has("request-budget"))
    load.request_budget = static_cast<double>(settings.integer("request-budget"));
  return load;
}

std::string number(double value, const char* form) {
  char text[64];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

std::string text_of(const Bill& bill) {
  Table table({"ITEM", "AMOUNT", "DOLLARS A MONTH"});
  auto add = [&](const char* item, std::string amount, double dollars) {
    table.add({item, std::move(amount), number(dollars, "%.2f")});
  };
  add("writes", number(bill.writes_per_second, "%.2f requests/s"), bill.write_requests);
  add("reads", number(bill.reads_per_second, "%.2f requests/s"), bill.read_requests);
  add("storage", number(bill.stored_bytes / 1e9, "%.1f GB"), bill.storage);
  add("store transfer",
      number((bill.written_bytes_per_second + bill.read_bytes_per_second) / 1e6, "%.2f MB/s"),
      bill.store_transfer);
  add("zone transfer", "", bill.zone_transfer);
  add("total", "", bill.total());
  return table.text() + "prices: " + bill.priced_by + "\n";
}

boost::json::object json_of(const Bill& bill) {
  return {{"prices", bill.priced_by},
          {"writes_per_second", bill.writes_per_second},
          {"reads_per_second", bill.reads_per_second},
          {"stored_bytes", bill.stored_bytes},
          {"written_bytes_per_second", bill.written_bytes_per_second},
          {"read_bytes_per_second", bill.read_bytes_per_second},
          {"dollars_per_month", boost::json::object{{"writes", bill.write_requests},
                                                    {"reads", bill.read_requests},
                                                    {"storage", bill.storage},
                                                    {"store_transfer", bill.store_transfer},
                                                    {"zone_transfer", bill.zone_transfer},
                                                    {"total", bill.total()}}}};
}

rt::Task<Result<CostCounters>> read_counters(http::Client& client, std::string url) {
  http::ClientRequest request;
  request.url = url + (url.ends_with("/metrics") ? "" : "/metrics");
  request.timeout = 10s;
  request.use_proxy = false;
  auto answer = co_await client.send(std::move(request));
  if (!answer) co_return with_context(answer.error(), "--admin");
  if (answer->status != 200)
    co_return fail(ErrorCode::unavailable, "--admin: " + url + " answered with status " +
                                               std::to_string(answer->status) +
                                               "; name a broker's --admin address");
  co_return cost_counters(answer->text());
}

void multiply(Bill& bill, double by) {
  for (double* part :
       {&bill.writes_per_second, &bill.reads_per_second, &bill.written_bytes_per_second,
        &bill.read_bytes_per_second, &bill.stored_bytes, &bill.write_requests, &bill.read_requests,
        &bill.storage, &bill.store_transfer, &bill.zone_transfer})
    *part *= by;
}

rt::Task<Result<Bill>> bill_for(CostSession& session) {
  CostLoad load = load_of(session.settings);
  if (!session.settings.has("admin")) co_return estimate(load);
  std::string url = session.settings.text("admin");
  while (url.ends_with('/')) url.pop_back();
  rt::Loop& loop = session.client.loop();
  MonoTime begun = loop.now();
  auto before = co_await read_counters(session.client, url);
  if (!before) co_return std::unexpected(before.error());
  co_await rt::sleep_for(loop, session.settings.integer("seconds") * 1s);
  auto after = co_await read_counters(session.client, url);
  if (!after) co_return std::unexpected(after.error());
  Bill bill = bill_of(*before, *after, loop.now() - begun, load);
  multiply(bill, static_cast<double>(load.brokers));
  co_return bill;
}

}  // namespace

const CommandSpec& cost_command() { return kCost; }

rt::Task<ExitStatus> run_cost(CostSession& session) {
  auto bill = co_await bill_for(session);
  if (!bill) {
    session.console.err("weir cost: " + bill.error().message + "\n");
    co_return ExitStatus::failed;
  }
  bool json = session.settings.flag("json") || session.settings.text("output") == "json";
  auto said =
      session.console.out(json ? boost::json::serialize(json_of(*bill)) + "\n" : text_of(*bill));
  co_return said ? ExitStatus::success : ExitStatus::failed;
}

}  // namespace weir::cli
