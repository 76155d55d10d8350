#include "commitlog/object_log.h"

#include <charconv>
#include <cstdio>

#include "base/ids.h"

namespace weir::commitlog {
namespace {

constexpr std::size_t kDigits = 20;
constexpr std::string_view kFloorWord = "weir-floor ";

std::optional<Position> parse_position(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars_result result =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return std::nullopt;
  return Position(value);
}

std::string digits_of(Position at) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%020llu", static_cast<unsigned long long>(at.value));
  return digits;
}

}  // namespace

ObjectLog::ObjectLog(objstore::ObjectStore& store, rt::Random& random, std::string shard)
    : store_(store), random_(random), prefix_("log/" + std::move(shard) + "/") {}

std::string ObjectLog::name_of(Position at) const { return prefix_ + digits_of(at); }

std::optional<Position> ObjectLog::position_of(const std::string& name) const {
  if (name.size() != prefix_.size() + kDigits || !name.starts_with(prefix_)) return std::nullopt;
  return parse_position(std::string_view(name).substr(prefix_.size()));
}

// Duty c: the drivers have mapped their store's answers to our codes; here they become outcomes.
rt::Task<Result<CreateOutcome>> ObjectLog::create(Position at, BytesChain entry) {
  if (entry.size() > kEntryBytesMax)
    co_return fail(ErrorCode::too_large, "entry of " + std::to_string(entry.size()) + " bytes");
  Result<std::string> put = co_await store_.put_if_absent(name_of(at), std::move(entry));
  if (put) co_return CreateOutcome::won;
  Error error = std::move(put).error();
  switch (error.code) {
    case ErrorCode::already_exists:
    case ErrorCode::precondition: co_return CreateOutcome::exists;
    // Certainly not applied.
    case ErrorCode::unavailable:
    case ErrorCode::out_of_space:
    case ErrorCode::configuration:
    case ErrorCode::too_large:
    case ErrorCode::invalid_argument: break;
    // No such bucket, or no conditional writes: a person must act.
    case ErrorCode::not_found:
    case ErrorCode::unsupported: error.code = ErrorCode::configuration; break;
    // A closed connection or a cancelled request may have arrived.
    case ErrorCode::unknown_outcome:
    case ErrorCode::timed_out:
    case ErrorCode::closed:
    case ErrorCode::cancelled:
    case ErrorCode::corrupt:
    case ErrorCode::internal: co_return CreateOutcome::unknown;
  }
  co_return with_context(std::move(error), "position " + std::to_string(at.value));
}

rt::Task<Result<std::optional<SharedBytes>>> ObjectLog::read(Position at) {
  Result<SharedBytes> body = co_await store_.get(name_of(at));
  if (body) co_return std::move(*body);
  if (body.error().is(ErrorCode::not_found)) co_return std::nullopt;
  co_return with_context(std::move(body).error(), "position " + std::to_string(at.value));
}

// "weir-floor {position:020} {nonce}\n"
SharedBytes ObjectLog::floor_body(Position floor) {
  std::string nonce = random_.id128<Nonce>().hex();
  return SharedBytes::copy_of(
      as_bytes(std::string(kFloorWord) + digits_of(floor) + " " + nonce + "\n"));
}

rt::Task<Result<Position>> ObjectLog::read_floor() {
  Result<SharedBytes> body = co_await store_.get(prefix_ + "floor");
  if (!body && body.error().is(ErrorCode::not_found)) co_return Position(0);
  if (!body) co_return with_context(std::move(body).error(), "floor of the log");
  std::string_view text = as_text(body->view());
  std::optional<Position> floor;
  if (text.starts_with(kFloorWord) && text.ends_with('\n') &&
      text.size() > kFloorWord.size() + kDigits)
    floor = parse_position(text.substr(kFloorWord.size(), kDigits));
  if (!floor)
    co_return fail(ErrorCode::corrupt, "object " + prefix_ + "floor of the log is not a floor");
  co_return *floor;
}

rt::Task<Result<void>> ObjectLog::raise_floor(Position to) {
  for (int attempt = 0; attempt < kFloorAttemptsMax; ++attempt) {
    Result<void> written = co_await write_floor(to);
    if (written) co_return written;
    ErrorCode code = written.error().code;
    // Another broker was faster, or we do not know: look again. Repeating is harmless.
    bool again = code == ErrorCode::precondition || code == ErrorCode::already_exists ||
                 code == ErrorCode::unknown_outcome || code == ErrorCode::timed_out ||
                 code == ErrorCode::closed;
    if (!again) co_return with_context(std::move(written).error(), "raising the floor of the log");
  }
  co_return fail(ErrorCode::unavailable, "raising the floor of the log: no answer was clear");
}

// One attempt. The etag is taken before the floor is read: if the object changes in between, the
// replacement fails, and no raise is ever undone.
rt::Task<Result<void>> ObjectLog::write_floor(Position to) {
  Result<objstore::ObjectInfo> before = co_await store_.head(prefix_ + "floor");
  if (!before && !before.error().is(ErrorCode::not_found))
    co_return std::unexpected(std::move(before).error());
  Result<std::string> put;
  if (!before) {
    if (to.value == 0) co_return Result<void>();
    put = co_await store_.put_if_absent(prefix_ + "floor", floor_body(to));
  } else {
    Result<Position> floor = co_await read_floor();
    if (!floor) co_return std::unexpected(std::move(floor).error());
    if (*floor >= to) co_return Result<void>();
    put = co_await store_.put_if_match(prefix_ + "floor", floor_body(to), before->etag);
  }
  if (!put) co_return std::unexpected(std::move(put).error());
  co_return Result<void>();
}

rt::Task<Result<void>> ObjectLog::remove(Position first, Position last) {
  Result<Position> floor = co_await read_floor();
  if (!floor) co_return std::unexpected(std::move(floor).error());
  if (last >= *floor)
    co_return fail(ErrorCode::precondition, "position " + std::to_string(last.value) +
                                                " is not below the floor " +
                                                std::to_string(floor->value));
  std::string continuation;
  do {
    Result<objstore::ObjectStore::Page> page = co_await store_.list(prefix_, continuation);
    if (!page) co_return with_context(std::move(page).error(), "removing log entries");
    std::vector<std::string> names;
    for (objstore::ObjectInfo& object : page->objects) {
      std::optional<Position> at = position_of(object.name);
      if (at && *at >= first && *at <= last) names.push_back(std::move(object.name));
    }
    continuation = std::move(page->next);
    if (names.empty()) continue;
    auto failures = co_await store_.remove(std::move(names));
    if (!failures) co_return with_context(std::move(failures).error(), "removing log entries");
    if (!failures->empty())
      co_return with_context(failures->front().second, "removing " + failures->front().first);
  } while (!continuation.empty());
  co_return Result<void>();
}

}  // namespace weir::commitlog
