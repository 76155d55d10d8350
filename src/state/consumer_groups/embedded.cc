#include "state/consumer_groups/embedded.h"

#include "base/ensure.h"
#include "serial/reader.h"
#include "serial/writer.h"

namespace weir::state {
namespace {

using serial::Form;
using serial::Null;
using serial::Reader;

constexpr serial::ElementSize kText{.wire_min = 2, .memory = sizeof(std::string)};
constexpr serial::ElementSize kNumber{.wire_min = 4, .memory = 4};
constexpr serial::ElementSize kTopic{.wire_min = 6, .memory = 56};

NamedPartitions read_partitions(Reader& in) {
  NamedPartitions out;
  std::size_t topics = in.array(Form::classic, kTopic, "embedded.topics");
  for (std::size_t i = 0; i < topics && in.ok(); ++i) {
    auto& [name, partitions] = out.emplace_back();
    name = in.string(Form::classic, "embedded.topic");
    std::size_t count = in.array(Form::classic, kNumber, "embedded.partitions");
    for (std::size_t p = 0; p < count && in.ok(); ++p)
      partitions.push_back(in.int32("embedded.partition"));
  }
  return out;
}

}  // namespace

std::optional<EmbeddedSubscription> parse_subscription(const SharedBytes& bytes) {
  Reader in(bytes);
  EmbeddedSubscription out;
  out.version = in.int16("embedded.version");
  if (out.version < 0) return std::nullopt;
  std::size_t count = in.array(Form::classic, kText, "embedded.topics");
  for (std::size_t i = 0; i < count && in.ok(); ++i)
    out.topics.push_back(in.string(Form::classic, "embedded.topic"));
  in.nullable_bytes(Form::classic, Null::allowed, "embedded.user_data");
  if (out.version >= 1) out.owned = read_partitions(in);
  if (out.version >= 2) in.int32("embedded.generation");
  if (out.version >= 3)
    out.rack = in.nullable_string(Form::classic, Null::allowed, "embedded.rack");
  if (!in.ok()) return std::nullopt;
  return out;
}

std::optional<NamedPartitions> parse_assignment(const SharedBytes& bytes) {
  if (bytes.size() == 0) return NamedPartitions();
  Reader in(bytes);
  if (in.int16("embedded.version") < 0) return std::nullopt;
  NamedPartitions out = read_partitions(in);
  if (!in.ok()) return std::nullopt;
  return out;
}

SharedBytes encode_assignment(std::int16_t version, const NamedPartitions& partitions) {
  serial::Writer out;
  out.int16(version);
  out.array(Form::classic, partitions.size(), "embedded.topics");
  for (const auto& [name, numbers] : partitions) {
    out.string(Form::classic, name, "embedded.topic");
    out.array(Form::classic, numbers.size(), "embedded.partitions");
    for (std::int32_t number : numbers) out.int32(number);
  }
  out.int32(-1);
  Result<BytesChain> bytes = out.finish();
  // Names come from the state, whose topic names are short.
  ENSURE(bytes.has_value());
  return bytes->flatten();
}

}  // namespace weir::state
