#include "objstore/probe.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ids.h"
#include "objstore/limits.h"
#include "rt/scope.h"

namespace weir::objstore {
namespace {

SharedBytes body_of(std::string_view text) { return SharedBytes::copy_of(as_bytes(text)); }

/// One probe: the names that it wrote, and its steps.
class Probe {
 public:
  explicit Probe(ProbeParts parts)
      : parts_(parts), prefix_("probe/" + parts.random.id128<Nonce>().hex() + "/") {}

  rt::Task<Result<void>> run() {
    for (int i = 0; i < kProbeRaces; ++i) WEIR_CO_TRY(co_await race("race-" + std::to_string(i)));
    WEIR_CO_TRY(co_await replace());
    WEIR_CO_TRY(co_await read_after_write());
    WEIR_CO_TRY(co_await list_after_write());
    co_return co_await clean_up();
  }
  /// Deletes what was written. After a failure its own result does not matter.
  rt::Task<Result<void>> clean_up();

 private:
  using Answers = std::array<std::optional<Result<std::string>>, kProbeRacers>;

  std::string new_name(const std::string& name) {
    written_.push_back(prefix_ + name);
    return written_.back();
  }
  std::unexpected<Error> lacks(std::string what) const {
    return fail(ErrorCode::unsupported,
                "the store " + parts_.store.describe() + " cannot be used: " + std::move(what));
  }
  static std::unexpected<Error> during(Error error, std::string_view step) {
    return with_context(std::move(error), "probing the store, " + std::string(step));
  }
  rt::Task<Result<void>> expect_body(std::string name, std::string body, std::string promise);
  rt::Task<void> create(std::string name, std::string body,
                        std::optional<Result<std::string>>& answer) {
    answer.emplace(co_await parts_.store.put_if_absent(std::move(name), body_of(body)));
  }
  rt::Task<Result<void>> race(std::string label);
  /// Nothing if an answer was unclear.
  Result<std::optional<std::size_t>> winner_of(const Answers& answers) const;
  rt::Task<Result<void>> replace();
  rt::Task<Result<void>> read_after_write();
  rt::Task<Result<void>> list_after_write();

  ProbeParts parts_;
  std::string prefix_;
  std::vector<std::string> written_;
};

Result<std::optional<std::size_t>> Probe::winner_of(const Answers& answers) const {
  std::size_t winners = 0;
  std::optional<std::size_t> winner;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Result<std::string>& answer = *answers[i];
    if (answer) {
      ++winners;
      winner = i;
    } else if (answer.error().is(ErrorCode::configuration) ||
               answer.error().is(ErrorCode::unsupported)) {
      return during(answer.error(), "creating an object");
    } else if (!answer.error().is(ErrorCode::already_exists)) {
      return std::nullopt;
    }
  }
  if (winners > 1)
    return lacks("it does not honour create-if-absent: " + std::to_string(winners) + " of " +
                 std::to_string(kProbeRacers) +
                 " racing creators of one object were told that they had created it");
  if (winners == 0)
    return lacks("it does not honour create-if-absent: none of " + std::to_string(kProbeRacers) +
                 " racing creators of a new object could create it");
  return winner;
}

rt::Task<Result<void>> Probe::race(std::string label) {
  for (int attempt = 0; attempt < kProbeUnclearMax; ++attempt) {
    std::string name = new_name(label + "-" + std::to_string(attempt));
    Answers answers;
    rt::Scope racers(parts_.loop);
    for (std::size_t i = 0; i < kProbeRacers; ++i)
      racers.spawn(create(name, "racer " + std::to_string(i), answers[i]));
    co_await racers.join();
    auto winner = winner_of(answers);
    if (!winner) co_return std::unexpected(std::move(winner).error());
    if (!*winner) continue;  // A lost answer proves nothing; race again.
    auto again = co_await parts_.store.put_if_absent(name, body_of("late"));
    if (again)
      co_return lacks("it does not honour create-if-absent: an object was created a second time");
    if (!again.error().is(ErrorCode::already_exists))
      co_return during(std::move(again).error(), "creating an object that exists");
    co_return co_await expect_body(name, "racer " + std::to_string(**winner),
                                   "create-if-absent: the object is not the winner's");
  }
  co_return fail(ErrorCode::unavailable, "probing the store " + parts_.store.describe() +
                                             ": its answers to creates stay unclear; try again");
}

rt::Task<Result<void>> Probe::expect_body(std::string name, std::string body, std::string promise) {
  auto got = co_await parts_.store.get(name);
  if (!got && got.error().is(ErrorCode::not_found))
    co_return lacks("it does not honour " + promise + " (it is not found)");
  if (!got) co_return during(std::move(got).error(), "reading an object");
  if (as_text(got->view()) != body) co_return lacks("it does not honour " + promise);
  co_return Result<void>();
}

rt::Task<Result<void>> Probe::replace() {
  std::string name = new_name("replaced");
  auto first = co_await parts_.store.put(name, body_of("one"));
  if (!first) co_return during(std::move(first).error(), "writing an object");
  auto second = co_await parts_.store.put_if_match(name, body_of("two"), *first);
  if (!second) co_return during(std::move(second).error(), "replacing an object by its version");
  auto stale = co_await parts_.store.put_if_match(name, body_of("three"), *first);
  if (stale)
    co_return lacks(
        "it does not honour replace-if-unchanged: an object was replaced by who knew "
        "only its older version");
  if (!stale.error().is(ErrorCode::precondition))
    co_return during(std::move(stale).error(), "replacing an object by an old version");
  co_return co_await expect_body(name, "two",
                                 "replace-if-unchanged: the object is not what was written");
}

rt::Task<Result<void>> Probe::read_after_write() {
  std::string name = new_name("read");
  for (const char* body : {"first", "second"}) {
    auto put = co_await parts_.store.put(name, body_of(body));
    if (!put) co_return during(std::move(put).error(), "writing an object");
    WEIR_CO_TRY(co_await expect_body(
        name, body, "read-after-write: an object is not read as it was just written"));
  }
  co_return Result<void>();
}

rt::Task<Result<void>> Probe::list_after_write() {
  std::vector<std::string> missing = written_;
  // Names of races that were run again may hold nothing.
  std::erase_if(missing, [](const std::string& name) { return !name.ends_with("/read"); });
  std::string continuation;
  int pages = 0;
  do {
    auto page = co_await parts_.store.list(prefix_, continuation);
    if (!page) co_return during(std::move(page).error(), "listing objects");
    for (const ObjectInfo& object : page->objects) std::erase(missing, object.name);
    continuation = page->next;
  } while (!continuation.empty() && ++pages < kProbePagesMax);
  if (missing.empty()) co_return Result<void>();
  co_return lacks(
      "it does not honour list-after-write: an object that was just written is not "
      "listed");
}

rt::Task<Result<void>> Probe::clean_up() {
  auto failures = co_await parts_.store.remove(written_);
  if (!failures) co_return during(std::move(failures).error(), "deleting objects");
  if (!failures->empty()) co_return during(failures->front().second, "deleting objects");
  auto gone = co_await parts_.store.get(prefix_ + "read");
  if (gone) co_return lacks("an object that was deleted can still be read");
  if (!gone.error().is(ErrorCode::not_found))
    co_return during(std::move(gone).error(), "reading a deleted object");
  co_return Result<void>();
}

}  // namespace

std::string probe_mark(std::string_view description) {
  return "weir-probe 1 " + std::string(description) + "\n";
}

rt::Task<Result<bool>> probe_store(ProbeParts parts) {
  std::string mark = probe_mark(parts.store.describe());
  auto found = co_await parts.store.get(kProbeMark);
  if (found && as_text(found->view()) == mark) co_return true;
  if (!found && !found.error().is(ErrorCode::not_found))
    co_return with_context(std::move(found).error(), "probing the store, reading an object");
  Probe probe(parts);
  Result<void> passed = co_await probe.run();
  if (!passed) {
    Result<void> nobody_hears = co_await probe.clean_up();
    co_return std::unexpected(std::move(passed).error());
  }
  auto put = co_await parts.store.put(kProbeMark, body_of(mark));
  if (!put) co_return with_context(std::move(put).error(), "probing the store, writing an object");
  co_return false;
}

}  // namespace weir::objstore
