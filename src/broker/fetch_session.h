// Fetch sessions (KIP-227): the partitions that a consumer reads, remembered between its requests,
// so that a request names only what changed and an answer only what is new.
//
// Pure: no clock, no I/O. The handler hands in each request and the time, gets the session to fetch
// for (or an error), and asks for each fetched partition whether it belongs into the answer. Used
// on one loop. A session is shared with the fetch that is parked on it, for it may be evicted
// meanwhile; that is the excuse for the shared_ptr.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "broker/kafka_error.h"

namespace weir::broker {

/// A partition as a fetch request names it: by name up to version 12, by topic id from 13.
struct FetchKey {
  std::string name;
  TopicId id;
  std::int32_t partition = 0;

  friend bool operator==(const FetchKey&, const FetchKey&) = default;
};
struct FetchKeyHash {
  std::size_t operator()(const FetchKey& key) const noexcept;
};

struct FetchAsk {
  FetchKey key;
  std::int64_t offset = 0;
  std::int32_t bytes_max = 0;
  std::int32_t current_leader_epoch = -1;
  std::int32_t last_fetched_epoch = -1;
};

/// What an answer says about a partition, as far as a session decides by it.
struct FetchNews {
  bool has_records = false;
  bool has_error = false;
  std::int64_t high_watermark = -1;
  std::int64_t last_stable = -1;
  std::int64_t log_start = -1;
};

class FetchSession {
 public:
  FetchSession(std::int32_t id, bool uses_topic_ids, MonoTime now)
      : id_(id), uses_topic_ids_(uses_topic_ids), created_(now), last_used_(now) {}

  std::int32_t id() const { return id_; }
  std::size_t size() const { return entries_.size(); }
  /// What to fetch, in the order in which it should be served: what got records last goes last.
  std::vector<FetchAsk> asks() const;
  /// Whether `news` of `key` belongs into an incremental answer; remembers what was told. A
  /// partition that gets records moves to the end of the order. False for a key that is gone.
  bool note(const FetchKey& key, const FetchNews& news, bool full_answer);

 private:
  friend class FetchSessionCache;
  struct Entry {
    FetchAsk ask;
    /// Last told; -1 before the first answer.
    std::int64_t high_watermark = -1;
    std::int64_t last_stable = -1;
    std::int64_t log_start = -1;
  };
  void put(const FetchAsk& ask);
  void forget(const FetchKey& key);

  std::int32_t id_;
  bool uses_topic_ids_;
  std::int32_t next_epoch_ = 1;
  MonoTime created_;
  MonoTime last_used_;
  std::list<Entry> entries_;
  std::unordered_map<FetchKey, std::list<Entry>::iterator, FetchKeyHash> index_;
};

struct FetchSessionRequest {
  std::int32_t session_id = 0;
  /// -1: without a session. 0: begin one. Above: continue.
  std::int32_t epoch = -1;
  bool uses_topic_ids = false;
  std::vector<FetchAsk> asks;
  std::vector<FetchKey> forgotten;
};

/// What to do for a request.
struct FetchPlan {
  KafkaError error = KafkaError::none;
  /// Null: a full answer without a session (id 0).
  std::shared_ptr<FetchSession> session;
  /// Only partitions with news are answered.
  bool incremental = false;
  std::vector<FetchAsk> asks;
};

class FetchSessionCache {
 public:
  explicit FetchSessionCache(std::size_t slots_max) : slots_max_(slots_max) {}

  /// `random` is where a new session's id is taken from.
  FetchPlan plan(FetchSessionRequest request, MonoTime now, std::uint64_t random);

  std::size_t size() const { return sessions_.size(); }
  std::size_t partitions() const { return partitions_; }
  std::uint64_t evictions() const { return evictions_; }

 private:
  using Sessions = std::map<std::int32_t, std::shared_ptr<FetchSession>>;
  FetchPlan create(FetchSessionRequest request, MonoTime now, std::uint64_t random);
  FetchPlan resume(FetchSessionRequest request, MonoTime now);
  void remove(Sessions::iterator at);
  /// Makes room for a session of `size` partitions; false if nobody may be evicted for it.
  bool make_room(std::size_t size, MonoTime now);

  std::size_t slots_max_;
  Sessions sessions_;
  std::size_t partitions_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace weir::broker
