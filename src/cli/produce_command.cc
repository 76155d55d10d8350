// weir produce: one record per line of standard input.
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/narrow.h"
#include "cli/limits.h"
#include "cli/stream_commands.h"
#include "client/producer.h"

namespace weir::cli {

Result<std::optional<std::string>> LineSplitter::next() {
  std::size_t end = pending_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = pending_.size();
    if (pending_.size() - taken_ > line_bytes_max_)
      return fail(ErrorCode::too_large, "a line of the input is longer than " +
                                            std::to_string(line_bytes_max_) + " bytes");
    if (!ended_ || taken_ == pending_.size()) {
      pending_.erase(0, taken_);
      searched_ -= taken_;
      taken_ = 0;
      return std::nullopt;
    }
    std::string last = pending_.substr(taken_);
    taken_ = searched_ = pending_.size();
    return last;
  }
  std::string line = pending_.substr(taken_, end - taken_);
  taken_ = searched_ = end + 1;
  return line;
}

namespace {

Result<client::ProducerOptions> producer_options(const Settings& settings) {
  client::ProducerOptions options;
  const std::string& acks = settings.text("acks");
  options.acks = acks == "all" ? std::int16_t{-1} : acks == "1" ? std::int16_t{1} : std::int16_t{0};
  std::optional<codec::Codec> codec = codec::codec_of_name(settings.text("codec"));
  ENSURE(codec.has_value());
  options.codec = *codec;
  std::optional<Duration> linger = settings.duration("linger");
  if (!linger)
    return fail(ErrorCode::invalid_argument, "--linger forever would never send anything");
  options.linger = *linger;
  if (std::optional<Duration> timeout = settings.duration("timeout"))
    options.delivery_timeout = *timeout;
  return options;
}

/// A record from one line, but for what is the same for all.
client::OutgoingRecord record_of(std::string line, const Settings& settings) {
  client::OutgoingRecord record;
  if (settings.has("key-separator")) {
    const std::string& separator = settings.text("key-separator");
    std::size_t at = line.find(separator);
    // A line without a separator has no key, only a value.
    if (at != std::string::npos) {
      record.key = line.substr(0, at);
      line.erase(0, at + separator.size());
    }
  }
  record.value = std::move(line);
  return record;
}

struct Template {
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<PartitionIndex> partition;
};

Result<Template> template_of(const Settings& settings) {
  Template all;
  for (const Setting& setting : settings.all("header")) {
    auto pair = parse_pair(setting);
    if (!pair) return std::unexpected(pair.error());
    all.headers.push_back(std::move(*pair));
  }
  if (settings.has("partition"))
    all.partition = PartitionIndex(narrow<std::int32_t>(settings.integer("partition")));
  return all;
}

/// Sends every line of the input; ends early with the first error.
rt::Task<Result<void>> send_lines(Session& session, client::Producer& producer, Template all) {
  LineSplitter lines(kLineBytesMax);
  Buffer buffer = Buffer::make(kInputReadBytes);
  bool more = true;
  while (more) {
    Result<std::size_t> size = co_await session.console.read_some(buffer.data());
    // Ctrl-C ends the input; what was read is still sent.
    if (!size && !size.error().is(ErrorCode::cancelled)) co_return std::unexpected(size.error());
    more = size && *size != 0;
    if (more)
      lines.feed(buffer.data().first(*size));
    else if (size)
      lines.end();
    for (;;) {
      Result<std::optional<std::string>> line = lines.next();
      if (!line) co_return std::unexpected(line.error());
      if (!*line) break;
      client::OutgoingRecord record = record_of(std::move(**line), session.settings);
      record.headers = all.headers;
      record.partition = all.partition;
      WEIR_CO_TRY(co_await producer.send(session.names.front(), std::move(record)));
    }
  }
  co_return Result<void>();
}

}  // namespace

rt::Task<ExitStatus> produce(Session& session) {
  Result<client::ProducerOptions> options = producer_options(session.settings);
  if (!options) co_return session.refuse(options.error());
  Result<Template> all = template_of(session.settings);
  if (!all) co_return session.refuse(all.error());
  client::Producer producer(session.cluster, session.random, *options);
  Result<void> sent = co_await send_lines(session, producer, std::move(*all));
  // Also after an error: what was accepted before is delivered.
  Result<void> flushed = co_await producer.flush();
  if (sent) sent = flushed;
  std::uint64_t delivered = producer.records_delivered();
  co_await producer.close();
  if (session.json()) {
    boost::json::object object{{"delivered", delivered}, {"failed", producer.records_failed()}};
    (void)session.console.out(boost::json::serialize(object) + "\n");
  } else if (!sent) {
    session.console.err("delivered " + std::to_string(delivered) + " records\n");
  }
  if (!sent) co_return session.fail(sent.error(), topic_advice(session));
  co_return ExitStatus::success;
}

}  // namespace weir::cli
