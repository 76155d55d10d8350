#include "perf/payload.h"

#include <algorithm>

#include "perf/limits.h"

namespace weir::perf {
namespace {

constexpr std::string_view kPaths[] = {
    "/",       "/cart",     "/cart/items",    "/checkout",     "/login",
    "/search", "/products", "/api/v2/orders", "/api/v2/users", "/health"};
constexpr std::string_view kAgents[] = {
    "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0", "okhttp/4.12.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Safari/604.1", "curl/8.9.1"};
constexpr std::string_view kCountries[] = {"DE", "FR", "US", "BR", "JP", "IN", "GB", "PL"};
constexpr std::string_view kLevels[] = {"INFO", "INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"};

/// Early ones more often.
template <std::size_t N>
std::string_view pick(const std::string_view (&words)[N], rt::Random& random) {
  return words[random.below(random.below(N) + 1)];
}

void append_event(std::string& text, rt::Random& random, std::uint64_t& time_us) {
  time_us += random.below(3'000);
  auto field = [&text](std::string_view name, std::string_view value, bool quoted) {
    text.append(text.ends_with('{') ? "\"" : ",\"").append(name).append("\":");
    if (quoted) text.push_back('"');
    text.append(value);
    if (quoted) text.push_back('"');
  };
  text.push_back('{');
  field("time_us", std::to_string(time_us), false);
  field("level", pick(kLevels, random), true);
  field("user", "u-" + std::to_string(random.below(1'000'000)), true);
  // An id that nothing compresses.
  std::uint64_t words[2] = {random.next(), random.next()};
  field("trace", to_hex(std::as_bytes(std::span(words))), true);
  std::string path(pick(kPaths, random));
  if (random.below(2) == 0) path.append("/").append(std::to_string(random.below(100'000)));
  field("path", path, true);
  field("status", random.below(20) == 0 ? "503" : random.below(10) == 0 ? "404" : "200", false);
  field("took_us", std::to_string(random.below(1u << (4 + random.below(14)))), false);
  field("country", pick(kCountries, random), true);
  field("agent", pick(kAgents, random), true);
  text.append("}\n");
}

std::vector<std::byte> text_corpus(std::size_t size, rt::Random& random) {
  std::string text;
  text.reserve(size + 1024);
  std::uint64_t time_us = 1'700'000'000'000'000;
  while (text.size() < size) append_event(text, random, time_us);
  Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> random_corpus(std::size_t size, rt::Random& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next() >> 32);
  return bytes;
}

}  // namespace

Payload::Payload(const PayloadOptions& options, std::uint64_t seed)
    : options_(options), random_(seed) {
  const std::size_t size = options.value_bytes + kCorpusBytes;
  corpus_ = options.random_bytes ? random_corpus(size, random_) : text_corpus(size, random_);
  if (options_.keys != KeyKind::zipf) return;
  double sum = 0;
  for (std::size_t i = 0; i < options_.key_count; ++i) {
    sum += 1.0 / static_cast<double>(i + 1);
    cumulated_.push_back(sum);
  }
  for (double& each : cumulated_) each /= sum;
}

Bytes Payload::value() {
  return Bytes(corpus_).subspan(random_.below(kCorpusBytes), options_.value_bytes);
}

std::size_t Payload::key_number() {
  if (options_.keys == KeyKind::uniform) return random_.below(options_.key_count);
  const double part = static_cast<double>(random_.next() >> 11) * 0x1p-53;
  auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), part);
  return static_cast<std::size_t>(std::min(found, cumulated_.end() - 1) - cumulated_.begin());
}

std::optional<std::string_view> Payload::key() {
  if (options_.keys == KeyKind::none) return std::nullopt;
  key_ = "key-" + std::to_string(key_number());
  return key_;
}

}  // namespace weir::perf
