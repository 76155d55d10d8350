#include "broker/fetch_session.h"

#include <limits>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "broker/limits.h"

namespace weir::broker {

std::size_t FetchKeyHash::operator()(const FetchKey& key) const noexcept {
  return std::hash<std::string>{}(key.name) ^ key.id.low64() ^
         (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.partition)) *
          0x9e3779b97f4a7c15u);
}

std::vector<FetchAsk> FetchSession::asks() const {
  std::vector<FetchAsk> out;
  out.reserve(entries_.size());
  for (const Entry& entry : entries_) out.push_back(entry.ask);
  return out;
}

bool FetchSession::note(const FetchKey& key, const FetchNews& news, bool full_answer) {
  auto found = index_.find(key);
  if (found == index_.end()) return full_answer;
  Entry& entry = *found->second;
  bool told = full_answer || news.has_records || news.has_error;
  told |= entry.high_watermark != news.high_watermark || entry.log_start != news.log_start ||
          entry.last_stable != news.last_stable;
  // After an error nothing counts as told, so the first good answer is sent whatever it says.
  entry.high_watermark = news.has_error ? -1 : news.high_watermark;
  entry.last_stable = news.has_error ? -1 : news.last_stable;
  entry.log_start = news.has_error ? -1 : news.log_start;
  if (news.has_records) entries_.splice(entries_.end(), entries_, found->second);
  return told;
}

void FetchSession::put(const FetchAsk& ask) {
  auto found = index_.find(ask.key);
  if (found != index_.end()) {
    found->second->ask = ask;
    return;
  }
  entries_.push_back({.ask = ask});
  index_.emplace(ask.key, std::prev(entries_.end()));
}

void FetchSession::forget(const FetchKey& key) {
  auto found = index_.find(key);
  if (found == index_.end()) return;
  entries_.erase(found->second);
  index_.erase(found);
}

FetchPlan FetchSessionCache::plan(FetchSessionRequest request, MonoTime now, std::uint64_t random) {
  if (request.epoch > 0) return resume(std::move(request), now);
  // Epoch 0 begins anew and -1 ends: both close the session that the client had.
  if (request.session_id != 0) {
    auto found = sessions_.find(request.session_id);
    if (found != sessions_.end()) remove(found);
  }
  if (request.epoch == 0) return create(std::move(request), now, random);
  if (request.epoch != -1) return {.error = KafkaError::invalid_fetch_session_epoch};
  return {.asks = std::move(request.asks)};
}

FetchPlan FetchSessionCache::create(FetchSessionRequest request, MonoTime now,
                                    std::uint64_t random) {
  if (request.asks.empty() || !make_room(request.asks.size(), now))
    return {.asks = std::move(request.asks)};
  std::int32_t id = 0;
  while (id == 0 || sessions_.contains(id)) {
    id = static_cast<std::int32_t>(random & 0x7fffffff);
    random = random * 6364136223846793005u + 1442695040888963407u;
    random ^= random >> 29;
  }
  auto session = std::make_shared<FetchSession>(id, request.uses_topic_ids, now);
  for (const FetchAsk& ask : request.asks) session->put(ask);
  partitions_ += session->size();
  sessions_.emplace(id, session);
  FetchPlan plan{.session = session, .asks = session->asks()};
  return plan;
}

FetchPlan FetchSessionCache::resume(FetchSessionRequest request, MonoTime now) {
  auto found = sessions_.find(request.session_id);
  if (found == sessions_.end()) return {.error = KafkaError::fetch_session_id_not_found};
  std::shared_ptr<FetchSession> session = found->second;
  if (session->uses_topic_ids_ != request.uses_topic_ids)
    return {.error = KafkaError::fetch_session_topic_id_error};
  if (session->next_epoch_ != request.epoch)
    return {.error = KafkaError::invalid_fetch_session_epoch};
  session->next_epoch_ = session->next_epoch_ == std::numeric_limits<std::int32_t>::max()
                             ? 1
                             : session->next_epoch_ + 1;
  session->last_used_ = now;
  const std::size_t before = session->size();
  for (const FetchKey& key : request.forgotten) session->forget(key);
  for (const FetchAsk& ask : request.asks) session->put(ask);
  partitions_ += session->size();
  partitions_ -= before;
  if (session->size() == 0 || partitions_ > kFetchSessionPartitionsMax) {
    // The client learns from session id 0 that there is no session any more.
    FetchPlan plan{.asks = session->asks()};
    remove(found);
    return plan;
  }
  FetchPlan plan{.session = session, .incremental = true, .asks = session->asks()};
  return plan;
}

void FetchSessionCache::remove(Sessions::iterator at) {
  partitions_ -= at->second->size();
  sessions_.erase(at);
}

bool FetchSessionCache::make_room(std::size_t size, MonoTime now) {
  if (size + partitions_ > kFetchSessionPartitionsMax) return false;
  if (sessions_.size() < slots_max_) return true;
  auto victim = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    const FetchSession& session = *at->second;
    if (session.last_used_ + kFetchSessionEvictionAge <= now) {
      victim = at;
      break;
    }
    const bool old = session.created_ + kFetchSessionEvictionAge <= now;
    if (!old || session.size() >= size) continue;
    if (victim == sessions_.end() || session.size() < victim->second->size()) victim = at;
  }
  if (victim == sessions_.end()) return false;
  remove(victim);
  ++evictions_;
  return true;
}

}  // namespace weir::broker
