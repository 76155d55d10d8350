#include "client/consumer_protocol.h"

#include <algorithm>

#include "base/narrow.h"
#include "serial/reader.h"
#include "serial/writer.h"
#include "wire/consumer_protocol_assignment.h"
#include "wire/consumer_protocol_subscription.h"

namespace weir::client {
namespace {

template <class Message>
SharedBytes encode_message(const Message& message) {
  constexpr std::int16_t kVersion = 0;
  serial::Writer writer;
  writer.int16(kVersion);
  encode(message, writer, kVersion);
  Result<BytesChain> bytes = writer.finish();
  ENSURE(bytes.has_value());  // names of topics and numbers fit every version
  return bytes->flatten();
}

template <class Message>
Result<Message> decode_message(const SharedBytes& bytes) {
  serial::Reader reader(bytes);
  const std::int16_t version = reader.int16("version");
  Message message;
  // A later version only adds at the end.
  if (!reader.ok() || version < 0 ||
      !decode(message, reader, std::min(version, Message::kVersionMax)))
    return fail(ErrorCode::corrupt, std::string(Message::kName) + " of a group member is damaged");
  return message;
}

}  // namespace

SharedBytes encode_subscription(const std::vector<std::string>& topics) {
  return encode_message(wire::ConsumerProtocolSubscription{.topics = topics});
}

Result<std::vector<std::string>> decode_subscription(const SharedBytes& bytes) {
  auto message = decode_message<wire::ConsumerProtocolSubscription>(bytes);
  if (!message) return std::unexpected(message.error());
  return std::move(message->topics);
}

SharedBytes encode_assignment(const std::vector<TopicPartition>& partitions) {
  std::map<std::string, std::vector<std::int32_t>> by_topic;
  for (const TopicPartition& at : partitions) by_topic[at.topic].push_back(at.partition.value);
  wire::ConsumerProtocolAssignment message;
  for (auto& [topic, indexes] : by_topic)
    message.assigned_partitions.push_back({.topic = topic, .partitions = std::move(indexes)});
  return encode_message(message);
}

Result<std::vector<TopicPartition>> decode_assignment(const SharedBytes& bytes) {
  std::vector<TopicPartition> partitions;
  if (bytes.size() == 0) return partitions;
  auto message = decode_message<wire::ConsumerProtocolAssignment>(bytes);
  if (!message) return std::unexpected(message.error());
  for (const auto& topic : message->assigned_partitions)
    for (std::int32_t index : topic.partitions)
      partitions.push_back({topic.topic, PartitionIndex(index)});
  return partitions;
}

Assignments assign_ranges(const Subscriptions& members, const PartitionCounts& topics) {
  Assignments out;
  std::map<std::string, std::vector<std::string>> subscribers;
  for (const auto& [member, wanted] : members) {
    out[member];
    for (const std::string& topic : wanted) subscribers[topic].push_back(member);
  }
  for (auto& [topic, ids] : subscribers) {
    auto count = topics.find(topic);
    if (count == topics.end()) continue;
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::size_t next = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t share = count->second / ids.size() + (i < count->second % ids.size());
      for (std::size_t end = next + share; next < end; ++next)
        out[ids[i]].push_back({topic, PartitionIndex(narrow<std::int32_t>(next))});
    }
  }
  return out;
}

}  // namespace weir::client
