// What a run of `weir perf` is asked to do, from its options.
#include "base/narrow.h"
#include "cli/perf_commands.h"
#include "perf/stamp.h"
#include "record/limits.h"

namespace weir::cli {
namespace {

std::unexpected<Error> wrong(const Setting& setting, std::string_view what) {
  return fail(ErrorCode::invalid_argument,
              setting.source + ": '" + setting.text + "' " + std::string(what));
}

Result<perf::PayloadOptions> payload_of(const Settings& settings) {
  perf::PayloadOptions payload;
  payload.value_bytes = settings.size("record-bytes");
  // A batch with one such record must stay below the limit of a batch.
  constexpr std::uint64_t kRecordBytesMax = record::limits::batch_bytes_max / 2;
  if (payload.value_bytes == 0 || payload.value_bytes > kRecordBytesMax)
    return wrong(settings.one("record-bytes"),
                 "is outside of 1B to " + std::to_string(kRecordBytesMax) + "B");
  payload.random_bytes = settings.text("payload") == "random";
  const std::string& keys = settings.text("keys");
  payload.keys = keys == "none"      ? perf::KeyKind::none
                 : keys == "uniform" ? perf::KeyKind::uniform
                                     : perf::KeyKind::zipf;
  payload.key_count = narrow<std::size_t>(settings.integer("key-count"));
  return payload;
}

}  // namespace

Result<perf::Amount> perf_amount(const Settings& settings, std::optional<Duration> fallback) {
  perf::Amount amount;
  if (settings.has("bytes")) amount.bytes = settings.size("bytes");
  if (settings.has("duration")) {
    amount.time = settings.duration("duration");
    if (!amount.time && !amount.bytes)
      return wrong(settings.one("duration"), "would never end; give a time, as in 30s");
  }
  if (!amount.bytes && !amount.time) amount.time = fallback;
  return amount;
}

Duration perf_timeout(const Settings& settings) {
  return std::min<Duration>(settings.duration("timeout").value_or(24h), 24h);
}

Result<perf::ProduceOptions> perf_produce_options(const Session& session) {
  const Settings& settings = session.settings;
  if (settings.flag("transactions"))
    return fail(
        ErrorCode::invalid_argument,
        "weir has no transactions yet, so they cannot be measured; leave --transactions out");
  perf::ProduceOptions options;
  options.topic = session.names.front();
  Result<perf::PayloadOptions> payload = payload_of(settings);
  if (!payload) return std::unexpected(payload.error());
  options.payload = *payload;
  options.batch_bytes = settings.size("batch-bytes");
  if (options.batch_bytes == 0 || options.batch_bytes > record::limits::batch_bytes_max / 2)
    return wrong(settings.one("batch-bytes"), "is no size of a batch; 256KiB is usual");
  std::optional<codec::Codec> codec = codec::codec_of_name(settings.text("codec"));
  ENSURE(codec.has_value());
  options.codec = *codec;
  const std::string& acks = settings.text("acks");
  options.acks = acks == "all" ? std::int16_t{-1} : acks == "1" ? std::int16_t{1} : std::int16_t{0};
  options.idempotent = settings.flag("idempotent");
  if (options.idempotent && options.acks != -1)
    return wrong(settings.one("acks"), "does not go with --idempotent, which needs all");
  options.window = narrow<std::size_t>(settings.integer("window"));
  if (settings.has("rate")) {
    options.bytes_per_second = settings.size("rate");
    if (options.bytes_per_second == 0) return wrong(settings.one("rate"), "would send nothing");
  }
  std::optional<Duration> linger = settings.duration("linger");
  if (!linger) return wrong(settings.one("linger"), "would never send; give a time, as in 5ms");
  options.linger = *linger;
  Result<perf::Amount> amount = perf_amount(settings, Duration(10s));
  if (!amount) return std::unexpected(amount.error());
  options.amount = *amount;
  options.timeout = perf_timeout(settings);
  options.seed = session.random.next();
  return options;
}

}  // namespace weir::cli
