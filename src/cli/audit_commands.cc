// weir verify and weir gc --dry-run.
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/units.h"
#include "cli/bucket_session.h"
#include "cli/inspect.h"
#include "cli/table.h"
#include "engine/audit/auditor.h"
#include "engine/audit/explain.h"

namespace weir::cli {
namespace {

namespace json = boost::json;
namespace audit = engine::audit;

Result<void> print_line(BucketSession& session, const json::object& object) {
  return session.console.out(json::serialize(object) + "\n");
}

Result<void> print_finding(BucketSession& session, const audit::Finding& finding) {
  if (!session.json()) return session.console.out(finding.sentence + "\n");
  json::object object{{"kind", json_text(audit::to_string(finding.kind))},
                      {"object", json_text(finding.object)},
                      {"sentence", json_text(finding.sentence)}};
  if (!finding.region.empty()) object["region"] = json_text(finding.region);
  if (finding.offset) object["offset"] = finding.offset->value;
  return print_line(session, object);
}

Result<void> print_summary(BucketSession& session, const audit::AuditReport& report) {
  if (session.json())
    return print_line(session, {{"findings", report.findings.size()},
                                {"complete", report.complete},
                                {"floor", report.floor.value},
                                {"next", report.next.value},
                                {"entries", report.entries},
                                {"snapshots", report.snapshots},
                                {"segments", report.segments},
                                {"inline_objects", report.inline_objects},
                                {"spans", report.spans},
                                {"regions_checked", report.checked.regions},
                                {"bytes_checked", report.checked.bytes},
                                {"awaiting_deletion", report.awaiting_deletion},
                                {"maybe_in_flight", report.maybe_in_flight}});
  std::string text = "log positions " + std::to_string(report.floor.value) + " to " +
                     std::to_string(report.next.value) + ", " + std::to_string(report.snapshots) +
                     " snapshots, " + std::to_string(report.segments) + " segments, " +
                     std::to_string(report.inline_objects) + " inline objects, " +
                     std::to_string(report.spans) + " spans; " +
                     std::to_string(report.checked.regions) + " regions of " +
                     std::to_string(report.checked.bytes) + " bytes checked; " +
                     std::to_string(report.awaiting_deletion) + " objects await deletion, " +
                     std::to_string(report.maybe_in_flight) + " may be in flight\n";
  if (!report.complete)
    text += "the log could not be followed to its end, so data objects were not checked\n";
  text += report.findings.empty()
              ? "no findings\n"
              : std::to_string(report.findings.size()) +
                    (report.findings.size() == 1 ? " finding\n" : " findings\n");
  return session.console.out(text);
}

Result<void> print_explanation(BucketSession& session, const audit::Explanation& e) {
  if (session.json())
    return print_line(session, {{"object", json_text(e.object)},
                                {"kind", json_text(audit::to_string(e.kind))},
                                {"bytes", e.bytes},
                                {"fate", json_text(audit::to_string(e.fate))},
                                {"reason", json_text(e.reason)},
                                {"sentence", json_text(e.sentence)}});
  return session.console.out(std::string(audit::to_string(e.fate)) + "  " + e.object + " (" +
                             std::to_string(e.bytes) + " bytes): " + e.sentence + "\n");
}

}  // namespace

rt::Task<ExitStatus> verify_bucket(BucketSession& session) {
  if (!session.log) co_return session.fail_without_log();
  audit::Auditor auditor({session.store, *session.log},
                         {.read_data = !session.settings.flag("quick")});
  auto report = co_await auditor.run();
  if (!report) co_return session.fail(report.error());
  for (const audit::Finding& finding : report->findings)
    if (auto printed = print_finding(session, finding); !printed)
      co_return session.fail(printed.error());
  (void)print_summary(session, *report);
  bool clean = report->complete && report->findings.empty();
  co_return clean ? ExitStatus::success : ExitStatus::failed;
}

rt::Task<ExitStatus> explain_garbage(BucketSession& session) {
  if (!session.settings.flag("dry-run")) {
    session.console.err(
        "weir gc: brokers delete what is no longer needed by themselves; --dry-run explains what "
        "they will do\n");
    co_return ExitStatus::usage;
  }
  if (!session.log) co_return session.fail_without_log();
  audit::Auditor auditor({session.store, *session.log}, {.read_data = false});
  auto report = co_await auditor.run();
  if (!report) co_return session.fail(report.error());
  if (!report->complete) {
    session.console.err(
        "weir gc: the log cannot be followed to its end, so nothing can be said about what is "
        "needed; `weir verify` says why\n");
    co_return ExitStatus::failed;
  }
  std::array<std::uint64_t, 4> bytes{}, objects{};
  for (const audit::Explanation& e :
       audit::explain(auditor.inventory(), auditor.walk(), auditor.references())) {
    if (auto printed = print_explanation(session, e); !printed)
      co_return session.fail(printed.error());
    bytes[static_cast<std::size_t>(e.fate)] += e.bytes;
    ++objects[static_cast<std::size_t>(e.fate)];
  }
  if (!session.json()) {
    Table table({"FATE", "OBJECTS", "BYTES"});
    for (std::size_t i = 0; i < bytes.size(); ++i)
      table.add({std::string(audit::to_string(static_cast<audit::Fate>(i))),
                 std::to_string(objects[i]), std::to_string(bytes[i])});
    (void)session.console.out(table.text());
  }
  if (!report->findings.empty())
    session.console.err("weir gc: there are findings; `weir verify` shows them\n");
  co_return ExitStatus::success;
}

}  // namespace weir::cli
