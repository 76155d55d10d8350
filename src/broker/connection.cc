#include "broker/connection.h"

#include <utility>

#include "broker/memory_budget.h"
#include "broker/zone_hint.h"
#include "serial/reader.h"
#include "wire/api_table.h"
#include "wire/request_header.h"

namespace weir::broker {
namespace {

constexpr std::int16_t kProduceKey = 0;
constexpr std::int16_t kApiVersionsKey = 18;

std::uint64_t micros(Duration d) {
  return static_cast<std::uint64_t>(std::max<Duration>(d, 0ns) / 1us);
}

}  // namespace

Connection::Connection(LaneShared& lane, std::unique_ptr<rt::Stream> stream, std::string listener,
                       std::uint64_t number)
    : lane_(lane),
      stream_(std::move(stream)),
      info_(lane.broker.loop()),
      fsm_(lane.options.frame_bytes_max),
      last_activity_(lane.loop.now()),
      ready_(lane.loop),
      turns_(lane.loop),
      room_(lane.loop),
      ending_(lane.loop),
      scope_(lane.loop) {
  info_.number = number;
  info_.listener = std::move(listener);
  info_.peer = stream_->peer();
  info_.lane = &lane.loop;
}

rt::Task<void> Connection::run() {
  scope_.spawn(read_loop());
  scope_.spawn(write_loop());
  while (!closing_ && !(draining_ && heard_)) co_await ending_.wait();
  co_await cancel_parked();
  // Bounded: every handler has a deadline, and a drain ends with close().
  while (!closing_ && !slots_.empty()) co_await ending_.wait();
  close();
  co_await scope_.join();
  drop_slots();
}

void Connection::drop_slots() {
  lane_.metrics.requests_in_flight.add(-static_cast<std::int64_t>(slots_.size()));
  slots_.clear();
}

rt::Task<void> Connection::cancel_parked() {
  engine::Engine& engine = lane_.broker.engine();
  co_await rt::resume_on(engine.loop());
  info_.cancelled = true;
  engine.wake_parked();
  co_await rt::resume_on(lane_.loop);
}

void Connection::drain() {
  draining_ = true;
  ending_.notify_all();
}

void Connection::close() {
  if (closing_) return;
  closing_ = true;
  stream_->close();
  ready_.notify_all();
  turns_.notify_all();
  room_.notify_all();
  ending_.notify_all();
}

void Connection::fail_connection(std::string_view why) {
  if (closing_) return;
  lane_.metrics.closed_for_cause.add();
  lane_.peer_log.closed(lane_.loop.now(), info_.peer, info_.listener, why);
  close();
}

void Connection::check(MonoTime now) {
  if (closing_) return;
  if (fill_deadline_ != MonoTime{} && now >= fill_deadline_)
    return fail_connection("request not sent in time");
  // Its reservation is for bytes that do not come, and others have bytes to send.
  if (fill_deadline_ != MonoTime{} && now - last_activity_ >= kStalledFrameMax &&
      lane_.broker.memory().in.waiting() > 0)
    return fail_connection("request stalled while others wait for memory");
  if (write_deadline_ != MonoTime{} && now >= write_deadline_)
    return fail_connection("answer not read in time");
  if (slots_.empty() && fill_deadline_ == MonoTime{} &&
      now - last_activity_ >= lane_.options.idle_max) {
    // No log line: this is how well-behaved clients end.
    close();
  }
}

rt::Task<void> Connection::read_loop() {
  while (!closing_ && !draining_) {
    FrameFsm::Step step = fsm_.next();
    switch (step.what) {
      case FrameFsm::Do::read:
        if (!co_await read_step(step.into)) co_return close();
        break;
      case FrameFsm::Do::reserve: {
        MemoryPool* pool = co_await make_room(step.bytes);
        if (pool == nullptr) co_return;
        fsm_.provide(Buffer::make(step.bytes, pool));
        break;
      }
      case FrameFsm::Do::frame:
        fill_deadline_ = {};
        if (!accept_frame(std::move(step.frame))) co_return;
        break;
      case FrameFsm::Do::fail: co_return queue_close(std::string(to_string(step.problem)));
    }
  }
}

rt::Task<bool> Connection::read_step(MutableBytes into) {
  const bool fresh = !fsm_.inside_frame();
  Result<std::size_t> n = co_await stream_->read_some(into);
  if (!n || *n == 0 || closing_ || (draining_ && !heard_)) co_return false;
  heard_ = true;
  last_activity_ = lane_.loop.now();
  if (fresh) frame_began_ = last_activity_;
  lane_.metrics.bytes_in.add(*n);
  fsm_.received(*n);
  co_return true;
}

rt::Task<MemoryPool*> Connection::make_room(std::size_t bytes) {
  // One request alone may exceed the limit of bytes, else it could never be read.
  while (!closing_ && !slots_.empty() &&
         (slots_.size() >= kInFlightRequestsMax || slot_bytes_ + bytes > kInFlightBytesMax))
    co_await room_.wait();
  if (closing_) co_return nullptr;
  MemoryPool* pool = co_await reserve_frame(bytes);
  if (pool == nullptr) {
    queue_close("no memory for the request");
    co_return nullptr;
  }
  if (closing_) {
    pool->release(bytes);
    co_return nullptr;
  }
  fill_deadline_ = lane_.loop.now() + kFillGrace + (bytes / kFillBytesPerSecond) * 1s;
  co_return pool;
}

rt::Task<MemoryPool*> Connection::reserve_frame(std::size_t bytes) {
  MemoryBudget& memory = lane_.broker.memory();
  if (memory.in.try_reserve(bytes)) co_return &memory.in.pool();
  const std::optional<std::int16_t> key = fsm_.api_key();
  if (key && *key != kProduceKey && bytes <= kSmallRequestBytesMax &&
      memory.in_small.try_reserve(bytes))
    co_return &memory.in_small;
  const MonoTime deadline = lane_.loop.now() + kReserveWaitMax;
  if (co_await memory.in.reserve(lane_.loop, bytes, deadline)) co_return &memory.in.pool();
  co_return nullptr;
}

bool Connection::accept_frame(SharedBytes frame) {
  serial::Reader reader(frame);
  const std::int16_t key = reader.int16("api_key");
  const std::int16_t version = reader.int16("api_version");
  return accept_request(key, version, std::move(frame));
}

bool Connection::accept_request(std::int16_t key, std::int16_t version, SharedBytes frame) {
  const HandlerRow* row = lane_.broker.table().find(key);
  const wire::ApiInfo* api = wire::find_api(key);
  if (row == nullptr || api == nullptr) {
    queue_close("unknown api key " + std::to_string(key));
    return false;
  }
  const bool served = api->serves(version);
  if (!served && key != kApiVersionsKey) {
    queue_close("unsupported version " + std::to_string(version) + " of " + std::string(api->name));
    return false;
  }
  const std::size_t bytes = frame.size();
  serial::Reader reader(frame);
  wire::RequestHeader header;
  if (!decode(header, reader, api->request_header_version(version)) && served) {
    queue_close("undecodable request header: " + reader.error().message);
    return false;
  }
  const ApiMetrics& metrics = lane_.metrics.of(key);
  auto slot = std::make_unique<Slot>(info_, metrics);
  RequestContext& context = slot->context;
  context.api_key = key;
  context.version = version;
  context.correlation_id = header.correlation_id;
  context.client_id = std::move(header.client_id);
  if (context.client_id) context.zone = zone_of_client_id(*context.client_id);
  (context.zone ? lane_.metrics.zone_hits : lane_.metrics.zone_misses).add();
  context.arrived = lane_.loop.now();
  if (row->order == Order::appends) context.ticket = info_.produce_order.take_ticket();
  slot->row = row;
  slot->bytes = bytes;
  slot->began = frame_began_;
  if (served) slot->body = frame.slice(reader.position(), reader.remaining());
  frame_began_ = context.arrived;
  metrics.requests->add();
  metrics.received->observe(micros(context.arrived - slot->began));
  lane_.metrics.requests_in_flight.add(1);
  slot_bytes_ += bytes;
  slots_.push_back(std::move(slot));
  frame = {};
  Slot* queued = slots_.back().get();
  if (served) {
    scope_.spawn(serve_slot(queued));
  } else {
    queued->reply = lane_.broker.table().refuse_api_versions(lane_.broker.table(), queued->context);
    queued->started = queued->done = true;
    ready_.notify_all();
  }
  return true;
}

void Connection::queue_close(std::string why) {
  // Behind the answers that are due before it.
  static constexpr ApiMetrics kUncounted;
  auto slot = std::make_unique<Slot>(info_, kUncounted);
  slot->reply = Reply::close(std::move(why));
  slot->started = slot->done = true;
  lane_.metrics.requests_in_flight.add(1);
  fill_deadline_ = {};
  slots_.push_back(std::move(slot));
  ready_.notify_all();
}

bool Connection::turn_has_come(const Slot& slot) const {
  for (const std::unique_ptr<Slot>& item : slots_) {
    const Slot& earlier = *item;
    if (&earlier == &slot) return true;
    if (earlier.done) continue;
    const Order theirs = earlier.row->order;
    const bool same_api = earlier.row == slot.row;
    switch (slot.row->order) {
      case Order::reads:
        if (theirs == Order::writes) return false;
        break;
      case Order::appends:
        if (theirs == Order::writes || (same_api && !earlier.started)) return false;
        break;
      case Order::writes:
        if (same_api ? !earlier.started : theirs != Order::reads) return false;
        break;
    }
  }
  return true;
}

bool Connection::room_for_answer(const Slot& slot) const {
  // What changes something has a small answer, and goes into commits with many others.
  if (slot.row->order != Order::reads) return true;
  std::size_t ahead = 0;
  std::size_t bytes = last_answer_bytes_;
  for (const std::unique_ptr<Slot>& item : slots_) {
    const Slot& earlier = *item;
    if (&earlier == &slot) break;
    if (earlier.row == nullptr || earlier.row->order != Order::reads) continue;
    bytes += earlier.done ? earlier.reply.frame.size() : last_answer_bytes_;
    if (++ahead >= kServedAheadMax || bytes > kUnwrittenBytesMax) return false;
  }
  return true;
}

rt::Task<void> Connection::serve_slot(Slot* slot) {
  while (!closing_ && !(room_for_answer(*slot) && turn_has_come(*slot))) co_await turns_.wait();
  // Nothing begins for a client that is gone; what has begun is finished.
  if (closing_) co_return;
  slot->started = true;
  turns_.notify_all();
  Reply reply = co_await slot->row->handle(lane_.broker, slot->context, std::move(slot->body));
  slot->context.metrics.handled->observe(micros(lane_.loop.now() - slot->began));
  slot->reply = std::move(reply);
  if (slot->row->order == Order::reads) last_answer_bytes_ = slot->reply.frame.size();
  slot->done = true;
  ready_.notify_all();
  turns_.notify_all();
}

rt::Task<void> Connection::write_loop() {
  while (!closing_) {
    if (slots_.empty() || !slots_.front()->done) {
      co_await ready_.wait();
      continue;
    }
    if (!co_await write_ready()) co_return close();
  }
}

rt::Task<bool> Connection::write_ready() {
  std::vector<Bytes> parts;
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (!slot->done || slot->reply.kind == Reply::Kind::close) break;
    const std::vector<Bytes> views = slot->reply.frame.views();
    if (count != 0 && (bytes + slot->reply.frame.size() > kWriteBatchBytesMax ||
                       parts.size() + views.size() > kWriteBatchPartsMax))
      break;
    parts.insert(parts.end(), views.begin(), views.end());
    bytes += slot->reply.frame.size();
    ++count;
  }
  if (count == 0) {
    fail_connection(slots_.front()->reply.why);
    co_return false;
  }
  if (bytes != 0) {
    write_deadline_ = lane_.loop.now() + kWriteStallMax + (bytes / kFillBytesPerSecond) * 1s;
    Result<void> written = co_await stream_->write(parts);
    write_deadline_ = {};
    if (!written || closing_) co_return false;
    lane_.metrics.bytes_out.add(bytes);
  }
  pop_written(count);
  co_return true;
}

void Connection::pop_written(std::size_t count) {
  last_activity_ = lane_.loop.now();
  lane_.metrics.requests_in_flight.add(-static_cast<std::int64_t>(count));
  for (; count != 0; --count) {
    const Slot& slot = *slots_.front();
    slot.context.metrics.answered->observe(micros(last_activity_ - slot.began));
    slot_bytes_ -= slot.bytes;
    slots_.pop_front();
  }
  room_.notify_all();
  turns_.notify_all();
  if (slots_.empty()) ending_.notify_all();
}

}  // namespace weir::broker
