// TestBroker: a Kafka broker small enough to be wrong on purpose, for tests of the client and the
// commands.
//
// One node of a SimWorld that keeps partitions in memory. It checks sequences as a broker does, and
// a test can make it fail: refuse the next produces, swallow answers after executing a request, or
// close connections. Header-only, so that it is in no library.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/endian.h"
#include "base/narrow.h"
#include "client/calls.h"
#include "client/test_groups.h"
#include "client/test_partition.h"
#include "record/batch_view.h"
#include "rt/scope.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::client {

class TestBroker {
 public:
  static constexpr std::int16_t kUnknownTopic = 3;
  static constexpr std::int16_t kOutOfRange = 1;
  static constexpr std::int16_t kTopicExists = 36;

  using Partition = TestPartition;
  using Topic = TestTopic;

  TestBroker(rt::sim::SimNode& node, std::string host)
      : node_(node), host_(std::move(host)), scope_(node.loop()) {
    auto listener = node_.network().listen(node_.loop(), {host_, 9092});
    EXPECT_TRUE(listener);
    listener_ = std::move(*listener);
    scope_.spawn(accept_all());
  }

  void add_topic(const std::string& name, std::size_t partitions) {
    Topic& topic = topics[name];
    topic.id.bytes[0] = static_cast<std::uint8_t>(topics.size());
    topic.partitions.resize(partitions);
  }
  rt::Task<void> stop() {
    listener_->close();
    for (auto& stream : streams_) stream->close();
    co_await scope_.join();
  }

  std::map<std::string, Topic> topics;
  TestGroups groups;
  /// Answered to the next produces instead of executing them.
  std::deque<std::int16_t> refuse_produce;
  /// So many produces are executed, then the connection is closed without an answer.
  int swallow_produce = 0;
  /// So many answers to Metadata are left out.
  int swallow_metadata = 0;
  /// In answers to Metadata; -1 for none.
  std::int32_t leader = 1;
  std::size_t produces = 0;
  std::size_t connections = 0;
  /// Answers to ApiVersions are "unsupported version" above this.
  std::int16_t api_versions_max = 3;

 private:
  struct Call {
    wire::RequestStart start;
    serial::Reader& reader;
    std::int16_t version() const { return start.header.request_api_version; }
  };

  rt::Task<void> accept_all() {
    for (;;) {
      auto stream = co_await listener_->accept(node_.loop());
      if (!stream) co_return;
      ++connections;
      streams_.push_back(std::move(*stream));
      scope_.spawn(serve(*streams_.back()));
    }
  }

  static rt::Task<bool> read_fully(rt::Stream& stream, MutableBytes into) {
    while (!into.empty()) {
      Result<std::size_t> size = co_await stream.read_some(into);
      if (!size || *size == 0) co_return false;
      into = into.subspan(*size);
    }
    co_return true;
  }

  rt::Task<void> serve(rt::Stream& stream) {
    for (;;) {
      std::array<std::byte, 4> word;
      if (!co_await read_fully(stream, word)) break;
      Buffer frame = Buffer::make(narrow<std::size_t>(load_be<std::int32_t>(word, 0)));
      if (!co_await read_fully(stream, frame.data())) break;
      serial::Reader reader{SharedBytes(frame)};
      Result<wire::RequestStart> start = wire::decode_request_start(reader);
      EXPECT_TRUE(start);
      if (!start) break;
      std::optional<BytesChain> answer = answer_to({*start, reader});
      if (!answer) break;
      if (answer->empty()) continue;
      if (!(co_await stream.write(answer->views()))) break;
    }
    stream.close();
  }

  /// Nothing = close the connection; empty = no answer.
  std::optional<BytesChain> answer_to(Call call) {
    switch (call.start.api->key) {
      case 0: return produce(call);
      case 1: return answer<wire::FetchRequest>(call, &TestBroker::fetch);
      case 2: return answer<wire::ListOffsetsRequest>(call, &TestBroker::list_offsets);
      case 3:
        if (swallow_metadata > 0) {
          --swallow_metadata;
          return BytesChain();
        }
        return answer<wire::MetadataRequest>(call, &TestBroker::metadata);
      case 18: return api_versions(call);
      case 19: return answer<wire::CreateTopicsRequest>(call, &TestBroker::create_topics);
      case 20: return answer<wire::DeleteTopicsRequest>(call, &TestBroker::delete_topics);
      case 22: return answer<wire::InitProducerIdRequest>(call, &TestBroker::init_producer);
      case 32: return answer<wire::DescribeConfigsRequest>(call, &TestBroker::describe_configs);
      case 37: return answer<wire::CreatePartitionsRequest>(call, &TestBroker::grow);
      case 60: return answer<wire::DescribeClusterRequest>(call, &TestBroker::describe_cluster);
      case 44: return answer<wire::IncrementalAlterConfigsRequest>(call, &TestBroker::alter);
      default:
        if (auto served = groups.serve(call.start.api->key,
                                       [&](auto handle) { return answer(call, handle, groups); }))
          return served;
        ADD_FAILURE() << "unexpected API " << call.start.api->name;
        return std::nullopt;
    }
  }

  template <class Response>
  static BytesChain encode_answer(const Call& call, const Response& response,
                                  std::int16_t version) {
    serial::Writer writer;
    auto frame = writer.begin_frame();
    wire::encode_response_header(*call.start.api, version, call.start.header.correlation_id,
                                 writer);
    encode(response, writer, version);
    writer.end_frame(frame);
    Result<BytesChain> bytes = writer.finish();
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    return bytes ? *bytes : BytesChain();
  }

  template <class Request>
  std::optional<BytesChain> answer(Call& call,
                                   ResponseOf<Request> (TestBroker::*handle)(const Request&)) {
    return answer(call, handle, *this);
  }
  template <class Request, class Part>
  std::optional<BytesChain> answer(Call& call, ResponseOf<Request> (Part::*handle)(const Request&),
                                   Part& part) {
    Request request;
    bool decoded = decode(request, call.reader, call.version()) && call.reader.expect_end();
    EXPECT_TRUE(decoded) << Request::kName << " " << call.reader.error().message;
    return encode_answer(call, (part.*handle)(request), call.version());
  }

  std::optional<BytesChain> api_versions(const Call& call) {
    wire::ApiVersionsResponse response;
    if (call.version() > api_versions_max) {
      response.error_code = 35;
      return encode_answer(call, response, 0);
    }
    for (const wire::ApiInfo& api : wire::api_table())
      response.api_keys.push_back({api.key, api.version_min, api.version_max});
    return encode_answer(call, response, call.version());
  }

  wire::MetadataResponse metadata(const wire::MetadataRequest& request) {
    wire::MetadataResponse response;
    response.brokers.push_back({.node_id = 1, .host = host_, .port = 9092});
    response.cluster_id = "test";
    response.controller_id = 1;
    std::vector<std::string> names;
    if (request.topics)
      for (const auto& topic : *request.topics) names.push_back(topic.name.value_or(""));
    else
      for (const auto& [name, topic] : topics) names.push_back(name);
    for (const std::string& name : names) {
      auto& item = response.topics.emplace_back();
      item.name = name;
      auto found = topics.find(name);
      if (found == topics.end()) {
        item.error_code = kUnknownTopic;
        continue;
      }
      item.topic_id = found->second.id;
      for (std::size_t i = 0; i < found->second.partitions.size(); ++i)
        item.partitions.push_back({.partition_index = narrow<std::int32_t>(i),
                                   .leader_id = leader,
                                   .leader_epoch = 0,
                                   .replica_nodes = {1},
                                   .isr_nodes = {1}});
    }
    return response;
  }

  wire::DescribeClusterResponse describe_cluster(const wire::DescribeClusterRequest&) {
    wire::DescribeClusterResponse response;
    response.cluster_id = "test";
    response.controller_id = 1;
    response.brokers.push_back({.broker_id = 1, .host = host_, .port = 9092, .rack = "z1"});
    return response;
  }

  wire::InitProducerIdResponse init_producer(const wire::InitProducerIdRequest& request) {
    EXPECT_FALSE(request.transactional_id) << "\"\" is an id, too";
    wire::InitProducerIdResponse response;
    response.producer_id = ++producer_ids_;
    return response;
  }

  Partition* find(const std::string& topic, std::int32_t index) {
    auto found = topics.find(topic);
    if (found == topics.end() || index < 0) return nullptr;
    auto at = narrow<std::size_t>(index);
    return at < found->second.partitions.size() ? &found->second.partitions[at] : nullptr;
  }

  std::optional<BytesChain> produce(Call& call) {
    wire::ProduceRequest request;
    EXPECT_TRUE(decode(request, call.reader, call.version()));
    ++produces;
    wire::ProduceResponse response;
    for (const auto& topic : request.topic_data) {
      auto& item = response.responses.emplace_back();
      item.name = topic.name;
      for (const auto& data : topic.partition_data) {
        auto& result = item.partition_responses.emplace_back();
        result.index = data.index;
        result.base_offset = -1;
        if (!refuse_produce.empty()) {
          result.error_code = refuse_produce.front();
          refuse_produce.pop_front();
          continue;
        }
        Partition* partition = find(topic.name, data.index);
        if (partition)
          result.error_code = partition->append(data.records->flatten(), result.base_offset);
        else
          result.error_code = kUnknownTopic;
      }
    }
    if (request.acks == 0) return BytesChain();
    if (swallow_produce > 0) {
      --swallow_produce;
      return std::nullopt;
    }
    return encode_answer(call, response, call.version());
  }

  wire::FetchResponse fetch(const wire::FetchRequest& request) {
    wire::FetchResponse response;
    for (const auto& topic : request.topics) {
      auto& item = response.responses.emplace_back();
      item.topic = topic.topic;
      for (const auto& asked : topic.partitions) {
        auto& result = item.partitions.emplace_back();
        result.partition_index = asked.partition;
        Partition* partition = find(topic.topic, asked.partition);
        if (!partition || asked.fetch_offset > partition->end) {
          result.error_code = partition ? kOutOfRange : kUnknownTopic;
          continue;
        }
        result.high_watermark = partition->end;
        result.records.emplace();
        for (const SharedBytes& batch : partition->batches) {
          auto view = record::BatchView::front_of(batch.view());
          if (view->last_offset().value < asked.fetch_offset) continue;
          if (!result.records->empty() && result.records->size() + batch.size() >
                                              narrow<std::size_t>(asked.partition_max_bytes))
            break;
          result.records->append(batch);
        }
      }
    }
    return response;
  }

  wire::ListOffsetsResponse list_offsets(const wire::ListOffsetsRequest& request) {
    wire::ListOffsetsResponse response;
    for (const auto& topic : request.topics) {
      auto& item = response.topics.emplace_back();
      item.name = topic.name;
      for (const auto& asked : topic.partitions) {
        Partition* partition = find(topic.name, asked.partition_index);
        auto& result = item.partitions.emplace_back();
        result.partition_index = asked.partition_index;
        if (!partition)
          result.error_code = kUnknownTopic;
        else if (asked.timestamp == -1)
          result.offset = partition->end;
        else if (asked.timestamp == -2)
          result.offset = 0;
        else
          result.offset = partition->first_at(asked.timestamp);
      }
    }
    return response;
  }

  wire::CreateTopicsResponse create_topics(const wire::CreateTopicsRequest& request) {
    wire::CreateTopicsResponse response;
    for (const auto& topic : request.topics) {
      auto& item = response.topics.emplace_back();
      item.name = topic.name;
      if (topics.contains(topic.name)) {
        item.error_code = kTopicExists;
        item.error_message = "Topic '" + topic.name + "' already exists.";
        continue;
      }
      add_topic(topic.name,
                topic.num_partitions < 0 ? 1u : narrow<std::size_t>(topic.num_partitions));
      for (const auto& config : topic.configs)
        topics[topic.name].configs[config.name] = config.value.value_or("");
    }
    return response;
  }

  wire::DeleteTopicsResponse delete_topics(const wire::DeleteTopicsRequest& request) {
    wire::DeleteTopicsResponse response;
    for (const std::string& name : request.topic_names) {
      auto& item = response.responses.emplace_back();
      item.name = name;
      if (topics.erase(name) == 0) item.error_code = kUnknownTopic;
    }
    return response;
  }

  wire::CreatePartitionsResponse grow(const wire::CreatePartitionsRequest& request) {
    wire::CreatePartitionsResponse response;
    for (const auto& topic : request.topics) {
      auto& item = response.results.emplace_back();
      item.name = topic.name;
      std::vector<Partition>& partitions = topics[topic.name].partitions;
      if (narrow<std::size_t>(topic.count) <= partitions.size())
        item.error_code = 37;  // INVALID_PARTITIONS
      else
        partitions.resize(narrow<std::size_t>(topic.count));
    }
    return response;
  }

  wire::DescribeConfigsResponse describe_configs(const wire::DescribeConfigsRequest& request) {
    wire::DescribeConfigsResponse response;
    for (const auto& resource : request.resources) {
      auto& item = response.results.emplace_back();
      item.resource_type = resource.resource_type;
      item.resource_name = resource.resource_name;
      item.configs.push_back({.name = "cleanup.policy", .value = "delete", .config_source = 5});
      for (const auto& [key, value] : topics[resource.resource_name].configs)
        item.configs.push_back({.name = key, .value = value, .config_source = 1});
    }
    return response;
  }

  wire::IncrementalAlterConfigsResponse alter(const wire::IncrementalAlterConfigsRequest& request) {
    wire::IncrementalAlterConfigsResponse response;
    for (const auto& resource : request.resources) {
      auto& item = response.responses.emplace_back();
      item.resource_type = resource.resource_type;
      item.resource_name = resource.resource_name;
      for (const auto& config : resource.configs) {
        if (config.config_operation == 1)
          topics[resource.resource_name].configs.erase(config.name);
        else
          topics[resource.resource_name].configs[config.name] = config.value.value_or("");
      }
    }
    return response;
  }

  rt::sim::SimNode& node_;
  std::string host_;
  std::unique_ptr<rt::Listener> listener_;
  std::list<std::unique_ptr<rt::Stream>> streams_;
  std::int64_t producer_ids_ = 0;
  rt::Scope scope_;
};

}  // namespace weir::client
