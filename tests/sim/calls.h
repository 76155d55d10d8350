// Caller: how a simulated client asks an engine, as if over connections.
//
// Requests of one caller to one broker arrive in the order of sending. A request or answer may be
// late (a cut network delivers after it heals, a paused broker when it goes on), and then the
// client has timed out and perhaps asked elsewhere, while the broker still acts: the harshest part
// of real life for idempotence.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/api.h"
#include "rt/event.h"
#include "rt/sim/node.h"
#include "rt/task.h"
#include "tests/sim/cluster.h"

namespace weir::sim {

/// What an answer holds of the broker's memory is copied, as a network does: the broker may exit
/// while the answer travels.
template <class T>
void leave_broker(T&) {}
inline void leave_broker(std::vector<engine::FetchedPartition>& answer) {
  for (engine::FetchedPartition& partition : answer)
    partition.records = SharedBytes::copy_of(partition.records.flatten().view());
}

/// Called on the broker's loop. Not a coroutine itself.
template <class T>
using Request = std::move_only_function<rt::Task<T>(engine::ClusterEngine&)>;

class Caller {
 public:
  Caller(Cluster& cluster, rt::sim::SimNode& node) : cluster_(cluster), node_(node) {}

  Cluster& cluster() { return cluster_; }
  rt::sim::SimNode& node() { return node_; }
  rt::Loop& loop() { return node_.loop(); }
  rt::Random& random() { return node_.random(); }
  std::size_t any_broker() { return random().below(cluster_.size()); }

  /// Errors: unavailable (nobody listens), closed (the broker died), timed_out.
  template <class T>
  rt::Task<Result<T>> call(std::size_t broker, Request<T> request, Duration time_out) {
    auto pending = std::make_shared<Pending<T>>(loop());
    rt::sim::SimWorld& world = cluster_.world();
    MonoTime arrival = std::max(world.now() + cluster_.draw_latency(), last_arrival_[broker]);
    last_arrival_[broker] = arrival;
    cluster_.watch(broker, pending);
    auto deliver = [cluster = &cluster_, broker, generation = cluster_.generation(broker),
                    request = std::move(request), pending]() mutable {
      cluster->deliver(
          broker, [cluster, broker, generation, request = std::move(request), pending]() mutable {
            arrive<T>(*cluster, broker, generation, std::move(request), pending);
          });
    };
    world.at(arrival, nullptr, std::move(deliver));
    MonoTime deadline = loop().now() + time_out;
    while (!pending->result)
      if (!co_await pending->done.wait_until(deadline) && !pending->result)
        co_return fail(ErrorCode::timed_out, "the broker did not answer");
    co_return std::move(*pending->result);
  }

 private:
  template <class T>
  struct Pending final : Waiting {
    explicit Pending(rt::Loop& loop) : done(loop) {}
    void fail_with(Error error) override { set(std::unexpected(std::move(error))); }
    void set(Result<T> value) {
      if (result) return;
      result.emplace(std::move(value));
      done.notify_all();
    }
    rt::Event done;
    std::optional<Result<T>> result;
  };

  template <class T>
  static void arrive(Cluster& cluster, std::size_t broker, std::uint64_t generation,
                     Request<T> request, std::shared_ptr<Pending<T>> pending) {
    engine::ClusterEngine* engine = cluster.serving(broker);
    if (engine && generation == cluster.generation(broker)) {
      cluster.node(broker)->spawn(
          serve<T>(&cluster, broker, engine, std::move(request), std::move(pending)));
      return;
    }
    answer<T>(cluster, broker, std::move(pending),
              fail(ErrorCode::unavailable, "nobody listens there"));
  }

  template <class T>
  static rt::Task<void> serve(Cluster* cluster, std::size_t broker, engine::ClusterEngine* engine,
                              Request<T> request, std::shared_ptr<Pending<T>> pending) {
    T value = co_await request(*engine);
    leave_broker(value);
    answer<T>(*cluster, broker, std::move(pending), std::move(value));
  }

  template <class T>
  static void answer(Cluster& cluster, std::size_t broker, std::shared_ptr<Pending<T>> pending,
                     Result<T> value) {
    cluster.world().after(
        cluster.draw_latency(), nullptr,
        [&cluster, broker, pending = std::move(pending), value = std::move(value)]() mutable {
          cluster.deliver(broker,
                          [pending = std::move(pending), value = std::move(value)]() mutable {
                            pending->set(std::move(value));
                          });
        });
  }

  Cluster& cluster_;
  rt::sim::SimNode& node_;
  std::map<std::size_t, MonoTime> last_arrival_;
};

}  // namespace weir::sim
