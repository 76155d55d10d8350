// What a lane does with each request around the handlers: cutting the stream into frames, decoding
// a Produce, building the answer to a Fetch. Budget: 0.5 µs per partition each way.
#include <benchmark/benchmark.h>

#include <cstring>

#include "broker/frame_fsm.h"
#include "wire/fetch.h"
#include "wire/headers.h"
#include "wire/produce.h"

namespace weir::broker {
namespace {

constexpr std::int16_t kProduceVersion = 12;
constexpr std::int16_t kFetchVersion = 12;

SharedBytes produce_frame(std::size_t partitions, std::size_t batch_bytes) {
  wire::ProduceRequest request;
  request.acks = -1;
  auto& topic = request.topic_data.emplace_back();
  topic.name = "a-topic-of-usual-length";
  const SharedBytes batch = Buffer::make(batch_bytes);
  for (std::size_t i = 0; i < partitions; ++i)
    topic.partition_data.push_back({.index = static_cast<std::int32_t>(i), .records = batch});
  wire::RequestHeader header;
  header.request_api_key = wire::ProduceRequest::kApiKey;
  header.request_api_version = kProduceVersion;
  header.client_id = "client";
  serial::Writer writer;
  auto frame = writer.begin_frame();
  wire::encode_request_header(header, writer);
  encode(request, writer, kProduceVersion);
  writer.end_frame(frame);
  Result<BytesChain> bytes = writer.finish();
  ENSURE(bytes.has_value());
  return bytes->flatten();
}

/// As a connection does it, without the socket's copy of what goes straight into the buffer.
SharedBytes cut(FrameFsm& fsm, Bytes stream) {
  for (;;) {
    FrameFsm::Step step = fsm.next();
    switch (step.what) {
      case FrameFsm::Do::read: {
        const std::size_t size = std::min(step.into.size(), stream.size());
        if (size <= kScratchBytes) std::memcpy(step.into.data(), stream.data(), size);
        stream = stream.subspan(size);
        fsm.received(size);
        break;
      }
      case FrameFsm::Do::reserve: fsm.provide(Buffer::make(step.bytes)); break;
      case FrameFsm::Do::frame: return step.frame;
      case FrameFsm::Do::fail: ENSURE(false);
    }
  }
}

void cut_small_frames(benchmark::State& bench) {
  const SharedBytes stream = produce_frame(1, 1'000);
  FrameFsm fsm(1u << 30);
  for (auto _ : bench) benchmark::DoNotOptimize(cut(fsm, stream.view()));
}
BENCHMARK(cut_small_frames);

void decode_produce(benchmark::State& bench) {
  const auto partitions = static_cast<std::size_t>(bench.range(0));
  const SharedBytes stream = produce_frame(partitions, 8u << 10);
  const SharedBytes frame = stream.slice(4, stream.size() - 4);
  for (auto _ : bench) {
    serial::Reader reader(frame);
    auto start = wire::decode_request_start(reader);
    ENSURE(start.has_value());
    wire::ProduceRequest request;
    ENSURE(decode(request, reader, kProduceVersion));
    benchmark::DoNotOptimize(request);
  }
  bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}
BENCHMARK(decode_produce)->Arg(1)->Arg(16)->Arg(250);

void build_fetch_answer(benchmark::State& bench) {
  const auto partitions = static_cast<std::int32_t>(bench.range(0));
  const SharedBytes region = Buffer::make(256u << 10);
  const wire::ApiInfo* api = wire::find_api(wire::FetchResponse::kApiKey);
  ENSURE(api != nullptr);
  for (auto _ : bench) {
    wire::FetchResponse response;
    auto& topic = response.responses.emplace_back();
    topic.topic = "a-topic-of-usual-length";
    topic.partitions.reserve(static_cast<std::size_t>(partitions));
    for (std::int32_t i = 0; i < partitions; ++i)
      topic.partitions.push_back(
          {.partition_index = i, .high_watermark = 1'000'000, .records = region});
    serial::Writer writer;
    auto frame = writer.begin_frame();
    wire::encode_response_header(*api, kFetchVersion, 1, writer);
    encode(response, writer, kFetchVersion);
    writer.end_frame(frame);
    Result<BytesChain> bytes = writer.finish();
    ENSURE(bytes.has_value());
    benchmark::DoNotOptimize(bytes->views());
  }
  bench.SetItemsProcessed(bench.iterations() * partitions);
}
BENCHMARK(build_fetch_answer)->Arg(1)->Arg(16)->Arg(1'000);

}  // namespace
}  // namespace weir::broker

BENCHMARK_MAIN();
