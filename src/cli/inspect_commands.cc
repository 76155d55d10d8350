// weir inspect snapshot, log, segment and object.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <deque>

#include "base/units.h"
#include "cli/bucket_session.h"
#include "cli/inspect.h"
#include "engine/audit/inventory.h"
#include "state/snapshot/snapshot.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kEntriesShown = 10;
constexpr std::size_t kEntriesRead = 256;
constexpr std::size_t kEntryBytesRead = 8u << 20;
/// Of an object that is none of ours.
constexpr std::size_t kBytesShown = 64;

ExitStatus print(BucketSession& session, const Shown& shown) {
  Result<void> printed =
      session.console.out(session.json() ? json::serialize(shown.json) + "\n" : shown.text);
  if (!printed) return session.fail(printed.error());
  return shown.good ? ExitStatus::success : ExitStatus::failed;
}

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

Result<Range> parse_range(const std::string& text) {
  std::size_t dash = text.find('-');
  auto first = parse_integer(text.substr(0, dash));
  auto last = dash == std::string::npos ? first : parse_integer(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first)
    return fail(ErrorCode::invalid_argument,
                "'" + text + "' is no range of log positions; write 12 or 12-20");
  return Range{static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*last)};
}

std::string entry_name(const commitlog::CommitLog& log, std::uint64_t position) {
  return log.describe() + " position " + std::to_string(position);
}

using Show = Shown (*)(const std::string&, const SharedBytes&);

rt::Task<ExitStatus> inspect_named(BucketSession& session, Show show) {
  ExitStatus status = ExitStatus::success;
  for (const std::string& name : session.names) {
    auto bytes = co_await session.store.get(name);
    if (!bytes) co_return session.fail(with_context(bytes.error(), name).error());
    if (print(session, show(name, *bytes)) != ExitStatus::success) status = ExitStatus::failed;
  }
  co_return status;
}

rt::Task<Result<std::string>> newest_snapshot(objstore::ObjectStore& store) {
  std::string newest, continuation;
  do {
    auto page = co_await store.list("snapshot/", continuation);
    if (!page) co_return std::unexpected(page.error());
    for (const objstore::ObjectInfo& object : page->objects)
      if (engine::audit::identify(object.name).kind == engine::audit::ObjectKind::snapshot)
        newest = std::max(newest, object.name);  // Positions are zero-padded.
    continuation = page->next;
  } while (!continuation.empty());
  if (newest.empty())
    co_return fail(ErrorCode::unavailable,
                   "there is no snapshot yet; brokers write one after 1,000 entries or 64 MiB of "
                   "log, at most once a minute. `weir inspect log` shows the entries until then");
  co_return newest;
}

/// By the newest snapshot; none if there is none that can be read.
rt::Task<TopicNames> topic_names(objstore::ObjectStore& store) {
  TopicNames names;
  auto newest = co_await newest_snapshot(store);
  if (!newest) co_return names;
  auto bytes = co_await store.get(*newest);
  if (!bytes) co_return names;
  auto state = state::load_snapshot(*bytes);
  if (!state) co_return names;
  state->visit_topics("", [&](const state::TopicInfo& topic) {
    names[topic.id] = topic.name;
    return true;
  });
  co_return names;
}

rt::Task<ExitStatus> inspect_range(BucketSession& session, Range range) {
  ExitStatus status = ExitStatus::success;
  TopicNames names = co_await topic_names(session.store);
  for (std::uint64_t at = range.first; at <= range.last; ++at) {
    auto entry = co_await session.log->read(Position(at));
    std::string name = entry_name(*session.log, at);
    if (!entry && entry.error().is(ErrorCode::corrupt)) {
      (void)print(session, show_damage(name, 0, entry.error().message));
      status = ExitStatus::failed;
      continue;
    }
    if (!entry) co_return session.fail(with_context(entry.error(), name).error());
    if (!*entry) {
      session.console.err("weir inspect log: " + name + " is absent\n");
      co_return ExitStatus::failed;
    }
    if (print(session, show_entry(name, **entry, names)) != ExitStatus::success)
      status = ExitStatus::failed;
  }
  co_return status;
}

/// Reads forward from the newest snapshot, for only reading finds the tail of a log.
rt::Task<ExitStatus> inspect_tail(BucketSession& session) {
  auto floor = co_await session.log->read_floor();
  if (!floor) co_return session.fail(floor.error());
  std::uint64_t next = floor->value;
  auto snapshot = co_await newest_snapshot(session.store);
  if (snapshot) {
    std::uint64_t at = engine::audit::identify(*snapshot).position.value;
    next = std::max(next, at - std::min(at, kEntriesShown));
  }
  std::deque<std::pair<std::uint64_t, SharedBytes>> last;
  for (;;) {
    auto entries = co_await session.log->read_many(Position(next), kEntriesRead, kEntryBytesRead);
    if (!entries) co_return session.fail(entries.error());
    if (entries->empty()) break;
    for (SharedBytes& entry : *entries) last.emplace_back(next++, std::move(entry));
    while (last.size() > kEntriesShown) last.pop_front();
  }
  ExitStatus status = ExitStatus::success;
  TopicNames names = co_await topic_names(session.store);
  for (const auto& [position, bytes] : last)
    if (print(session, show_entry(entry_name(*session.log, position), bytes, names)) !=
        ExitStatus::success)
      status = ExitStatus::failed;
  // Lines of JSON are all of one shape.
  if (!session.json())
    (void)session.console.out("floor " + std::to_string(floor->value) + ", next position " +
                              std::to_string(next) + "\n");
  co_return status;
}

}  // namespace

Shown show_damage(const std::string& name, std::size_t bytes, const std::string& what) {
  return {.json = {{"object", json_text(name)}, {"bytes", bytes}, {"problem", json_text(what)}},
          .text = name + "\n  DAMAGED: " + what + "\n",
          .good = false};
}

Shown show_object(const std::string& name, const SharedBytes& bytes) {
  std::string_view text = as_text(bytes.view());
  if (text.starts_with("WEIRSEG1")) return show_segment(name, bytes);
  if (text.starts_with("WEIRSNP1")) return show_snapshot(name, bytes);
  if (text.starts_with("WEIRLOG1")) return show_entry(name, bytes);
  auto kind = engine::audit::identify(name).kind;
  using engine::audit::ObjectKind;
  if (kind != ObjectKind::foreign && kind != ObjectKind::log_file && kind != ObjectKind::probe)
    return show_damage(name, bytes.size(),
                       "it does not begin like a " + std::string(engine::audit::to_string(kind)));
  std::string head = to_hex(bytes.view().first(std::min(bytes.size(), kBytesShown)));
  Shown shown;
  shown.json = {{"object", json_text(name)},
                {"kind", json_text(engine::audit::to_string(kind))},
                {"bytes", bytes.size()},
                {"head", json_text(head)}};
  shown.text = name + "\n  " + std::string(engine::audit::to_string(kind)) + " of " +
               std::to_string(bytes.size()) + " bytes, beginning " + head +
               (kind == ObjectKind::log_file ? "; `weir inspect log` shows its entries\n" : "\n");
  return shown;
}

rt::Task<ExitStatus> inspect_snapshot(BucketSession& session) {
  std::string name;
  if (!session.names.empty()) {
    name = session.names.front();
  } else {
    auto newest = co_await newest_snapshot(session.store);
    if (!newest) co_return session.fail(newest.error());
    name = *newest;
  }
  auto bytes = co_await session.store.get(name);
  if (!bytes) co_return session.fail(with_context(bytes.error(), name).error());
  co_return print(session, show_snapshot(name, *bytes));
}

rt::Task<ExitStatus> inspect_log(BucketSession& session) {
  if (!session.log) co_return session.fail_without_log();
  if (session.names.empty()) co_return co_await inspect_tail(session);
  auto range = parse_range(session.names.front());
  if (!range) co_return session.fail(range.error());
  co_return co_await inspect_range(session, *range);
}

rt::Task<ExitStatus> inspect_segment(BucketSession& session) {
  co_return co_await inspect_named(session, &show_segment);
}

rt::Task<ExitStatus> inspect_object(BucketSession& session) {
  co_return co_await inspect_named(session, &show_object);
}

}  // namespace weir::cli
