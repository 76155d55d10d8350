// Bodies of rig.h. Inline, because the library must not hold test code.
#pragma once

#include "broker/testing/rig.h"

namespace weir::broker::testing {

inline Rig::Rig(const HandlerTable& table, RigOptions options)
    : node(world.start_node({.host = "broker"})),
      given(std::move(options.given)),
      engine(node.loop()),
      memory(options.memory, node.loop()),
      broker({.engine = options.make_engine ? options.make_engine(node) : engine,
              .workers = node.workers(),
              .random = node.random(),
              .memory = memory,
              .metrics = metrics,
              .log = log,
              .given = given},
             table) {
  std::vector<rt::Loop*> lanes;
  for (int i = 0; i < options.lanes; ++i) lanes.push_back(&node.make_loop());
  if (lanes.empty()) lanes.push_back(&node.loop());
  first_lane_ = lanes.front();
  auto bound = bind_listeners(node.network(), *first_lane_, {{"plain", {"", 0}}});
  EXPECT_TRUE(bound.has_value());
  port = bound->front().listener->local().port;
  server =
      std::make_unique<Server>(broker, server_options(given).value(), lanes, std::move(*bound));
  node.spawn(start(this));
}

inline rt::Task<void> Rig::start(Rig* rig) {
  co_await rt::resume_on(*rig->first_lane_);
  rig->server->start();
  co_await rt::resume_on(rig->node.loop());
}

inline rt::Task<void> Rig::stop(Rig* rig, Duration limit) {
  co_await rt::resume_on(*rig->first_lane_);
  co_await rig->server->drain(rig->first_lane_->now() + limit);
  co_await rt::resume_on(rig->node.loop());
  rig->drained_ = true;
}

inline void Rig::drain(Duration limit) {
  if (drained_) return;
  node.spawn(stop(this, limit));
  EXPECT_TRUE(world.run_while([this] { return !drained_; }, limit + 600s));
}

inline Rig::~Rig() { drain(0s); }

inline RawClient::RawClient(Rig& rig, std::string host, std::uint16_t port)
    : rig_(rig),
      node_(rig.world.node(host) ? rig.world.node(host)
                                 : &rig.world.start_node({.host = std::move(host)})),
      state_(std::make_shared<State>()) {
  node_->spawn(open(node_, {"broker", port}, state_));
  rig.run_while([this] { return !state_->stream && !state_->ended; });
}

inline rt::Task<void> RawClient::open(rt::sim::SimNode* node, rt::Endpoint to,
                                      std::shared_ptr<State> state) {
  auto stream = co_await node->network().connect(node->loop(), to, node->loop().now() + 5s);
  if (!stream) {
    state->ended = true;
    co_return;
  }
  state->stream = std::move(*stream);
  std::vector<std::byte> buffer(std::size_t{64} << 10);
  for (;;) {
    auto n = co_await state->stream->read_some(buffer);
    if (!n || *n == 0) break;
    state->in += as_text(Bytes(buffer).first(*n));
  }
  state->ended = true;
}

inline rt::Task<void> RawClient::pump(std::shared_ptr<State> state) {
  state->writing = true;
  while (!state->out.empty()) {
    const std::string piece = std::exchange(state->out, {});
    const Bytes view = as_bytes(piece);
    if (!co_await state->stream->write(std::span(&view, 1))) break;
  }
  state->writing = false;
}

inline void RawClient::send(std::string_view bytes) {
  if (!state_->stream) return;
  state_->out += bytes;
  if (!state_->writing) node_->spawn(pump(state_));
}

template <class Request>
std::int32_t RawClient::send(const Request& request, std::int16_t version) {
  const std::int16_t header_version =
      wire::find_api(Request::kApiKey)->request_header_version(version);
  serial::Writer writer;
  auto frame = writer.begin_frame();
  encode(wire::RequestHeader{.request_api_key = Request::kApiKey,
                             .request_api_version = version,
                             .correlation_id = next_correlation_,
                             .client_id = client_id},
         writer, header_version);
  encode(request, writer, version);
  EXPECT_TRUE(writer.ok());
  writer.end_frame(frame);
  send(as_text(writer.finish().value().flatten().view()));
  return next_correlation_++;
}

inline std::optional<SharedBytes> RawClient::next_frame(Duration limit) {
  const auto whole = [this]() -> std::optional<std::size_t> {
    if (state_->in.size() < 4) return std::nullopt;
    std::uint32_t size = 0;
    std::memcpy(&size, state_->in.data(), 4);
    size = std::byteswap(size);
    if (state_->in.size() < 4 + std::size_t{size}) return std::nullopt;
    return size;
  };
  rig_.run_while([&] { return !whole() && !state_->ended; }, limit);
  const auto size = whole();
  if (!size) return std::nullopt;
  SharedBytes out = SharedBytes::copy_of(as_bytes(std::string_view(state_->in).substr(4, *size)));
  state_->in.erase(0, 4 + *size);
  return out;
}

inline bool RawClient::closes(Duration limit) {
  rig_.run_while([&] { return !state_->ended; }, limit);
  return state_->ended;
}

template <class Response>
Response RawClient::receive(std::int16_t version) {
  Response out;
  const auto frame = next_frame();
  if (!frame) {
    ADD_FAILURE() << "no answer";
    return out;
  }
  serial::Reader reader(*frame);
  wire::ResponseHeader header;
  const wire::ApiInfo* api = wire::find_api(Response::kApiKey);
  EXPECT_TRUE(decode(header, reader, api->response_header_version(version)));
  EXPECT_TRUE(decode(out, reader, version)) << reader.error().message;
  EXPECT_TRUE(reader.expect_end());
  return out;
}

}  // namespace weir::broker::testing
