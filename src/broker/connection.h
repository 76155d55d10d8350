// Connection: one client's socket: reads requests ahead, answers them in order.
//
// Three kinds of coroutines of one lane share a queue of slots. The reader cuts frames and appends
// a slot for each; one task per slot waits for its turn (Order), serves it and stores the reply;
// the writer writes the ready slots from the front, many at a time. So reading does not stop while
// a request waits, and answers keep the order of requests.
//
// Bounds: slots, their bytes and their answers' (limits.h), bytes of frames by the pool *in*, time
// by `check`, which the lane calls once a second. All tasks belong to the connection's scope; `run`
// ends when all have ended, so a slot's task may use the connection freely. Owned by its lane.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "broker/broker.h"
#include "broker/frame_fsm.h"
#include "broker/handler_table.h"
#include "broker/peer_log.h"
#include "broker/server_metrics.h"
#include "broker/server_options.h"
#include "rt/scope.h"
#include "rt/stream.h"

namespace weir::broker {

/// What all connections of a lane share.
struct LaneShared {
  rt::Loop& loop;
  Broker& broker;
  const ServerOptions& options;
  ServerMetrics& metrics;
  PeerLog& peer_log;
};

class Connection {
 public:
  Connection(LaneShared& lane, std::unique_ptr<rt::Stream> stream, std::string listener,
             std::uint64_t number);

  /// From the first read to the last task's end.
  rt::Task<void> run();
  /// Reads no more, ends parked fetches, closes when what was read is answered. One that never sent
  /// anything stays open until `close`.
  void drain();
  /// Whether the other side ever sent anything.
  bool heard() const { return heard_; }
  /// Now, whatever is under way; for the end of a drain.
  void close();
  /// Closes if idle, if a reserved frame is not filled in time, or if the peer does not read.
  void check(MonoTime now);

  std::size_t in_flight() const { return slots_.size(); }

 private:
  struct Slot {
    Slot(ConnectionInfo& info, const ApiMetrics& api) : context(info, api) {}
    RequestContext context;
    const HandlerRow* row = nullptr;
    SharedBytes body;
    std::size_t bytes = 0;
    MonoTime began;
    bool started = false;
    bool done = false;
    Reply reply;
  };

  rt::Task<void> read_loop();
  rt::Task<bool> read_step(MutableBytes into);
  /// The pool that `bytes` are reserved of; null: nothing more is read.
  rt::Task<MemoryPool*> make_room(std::size_t bytes);
  rt::Task<MemoryPool*> reserve_frame(std::size_t bytes);
  /// False: no more requests are read from this connection.
  bool accept_frame(SharedBytes frame);
  bool accept_request(std::int16_t key, std::int16_t version, SharedBytes frame);
  void queue_close(std::string why);
  bool turn_has_come(const Slot& slot) const;
  bool room_for_answer(const Slot& slot) const;
  rt::Task<void> serve_slot(Slot* slot);
  rt::Task<void> write_loop();
  rt::Task<bool> write_ready();
  void pop_written(std::size_t count);
  rt::Task<void> cancel_parked();
  void drop_slots();
  void fail_connection(std::string_view why);

  LaneShared& lane_;
  std::unique_ptr<rt::Stream> stream_;
  ConnectionInfo info_;
  FrameFsm fsm_;
  std::deque<std::unique_ptr<Slot>> slots_;
  std::size_t slot_bytes_ = 0;
  /// Of the last request that only reads: what the next ones are expected to take.
  std::size_t last_answer_bytes_ = 0;
  bool heard_ = false;
  bool draining_ = false;
  bool closing_ = false;
  MonoTime last_activity_;
  /// First byte of the frame that is being read.
  MonoTime frame_began_;
  /// When a reserved frame must be filled, or what is being written must be gone; 0 = not now.
  MonoTime fill_deadline_{};
  MonoTime write_deadline_{};
  /// What the coroutines wait on: the front may be ready to write; a slot may begin; slots have
  /// gone; draining or closing began, or the last slot has gone.
  rt::Event ready_;
  rt::Event turns_;
  rt::Event room_;
  rt::Event ending_;
  rt::Scope scope_;
};

}  // namespace weir::broker
