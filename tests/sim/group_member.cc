#include "tests/sim/group_member.h"

#include <algorithm>
#include <charconv>

namespace weir::sim {

namespace {

using engine::GroupOutcome;
using state::Refusal;

constexpr Duration kTimeOut = 4s;
constexpr Duration kJoinTimeOut = 30s;
constexpr Duration kPause = 200ms;
constexpr std::int32_t kRebalanceMs = 8'000;
constexpr const char* kGroup = "group";

std::vector<std::int32_t> numbers_of(const std::string& text) {
  std::vector<std::int32_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    std::int32_t number = 0;
    at = std::from_chars(at, end, number).ptr + 1;
    numbers.push_back(number);
  }
  return numbers;
}

/// Round robin over the members by their ids.
std::vector<std::pair<std::string, SharedBytes>> assign(
    const std::vector<engine::JoinedMember>& members, std::int32_t partitions) {
  std::vector<std::string> ids;
  for (const engine::JoinedMember& member : members) ids.push_back(member.id);
  std::ranges::sort(ids);
  std::vector<std::string> texts(ids.size());
  for (std::int32_t p = 0; p < partitions; ++p) {
    std::string& text = texts[static_cast<std::size_t>(p) % ids.size()];
    text += (text.empty() ? "" : ",") + std::to_string(p);
  }
  std::vector<std::pair<std::string, SharedBytes>> out;
  for (std::size_t i = 0; i < ids.size(); ++i)
    out.emplace_back(ids[i], SharedBytes::copy_of(as_bytes(texts[i])));
  return out;
}

}  // namespace

template <class T>
rt::Task<Result<T>> GroupMember::call(Request<T> request, Duration time_out) {
  if (options_.spread) broker_ = caller_.any_broker();
  Result<T> answer = co_await caller_.call<T>(broker_, std::move(request), time_out);
  if (!answer) {
    trouble_ = weir::describe(answer.error());
    broker_ = caller_.any_broker();
  }
  co_return answer;
}

engine::MemberId GroupMember::self() const {
  engine::MemberId id{kGroup, member_, std::nullopt, generation_};
  if (options_.is_static) id.instance = options_.name;
  return id;
}

void GroupMember::forget() {
  member_.clear();
  alive_since_.reset();
  committed_at_.reset();
}

bool GroupMember::survive(Refusal refusal) {
  trouble_ = std::string(to_string(refusal));
  if (refusal == Refusal::rebalance_in_progress || refusal == Refusal::illegal_generation)
    return true;
  if (refusal == Refusal::unknown_member && alive_since_ && !options_.is_static) {
    const Duration since = caller_.loop().now() - *alive_since_;
    if (since < options_.session_ms * 1ms * 2 / 3)
      checker_.expired_alive(who(), "unknown " + std::to_string(since / 1ms) +
                                        " ms after a commit that was acknowledged");
  }
  forget();
  return false;
}

rt::Task<bool> GroupMember::join() {
  engine::JoinRequest request;
  request.group = kGroup;
  request.member = member_;
  request.new_member = options_.name + "-" + std::to_string(++lives_);
  if (options_.is_static) request.instance = options_.name;
  request.require_known_member = !options_.is_static;
  request.client_id = options_.name;
  request.client_host = "/sim";
  request.session_timeout_ms = options_.session_ms;
  request.rebalance_timeout_ms = kRebalanceMs;
  request.protocol_type = "consumer";
  request.protocols.push_back({"range", SharedBytes::copy_of(as_bytes("of " + options_.name))});
  request.group_size_max = 100;
  request.initial_delay_ms = 500;
  Request<engine::JoinAnswer> ask = [request](engine::ClusterEngine& engine) {
    return engine.groups().join(request, engine.loop().now() + kJoinTimeOut, nullptr);
  };
  auto answer = co_await call<engine::JoinAnswer>(std::move(ask), kJoinTimeOut);
  if (!answer || answer->failure) co_return false;
  if (answer->refusal != Refusal::none) {
    survive(answer->refusal);
    co_return false;
  }
  member_ = answer->member;
  if (answer->member_id_required) co_return co_await join();
  generation_ = answer->generation;
  co_return co_await sync(*answer);
}

rt::Task<bool> GroupMember::sync(const engine::JoinAnswer& joined) {
  engine::SyncRequest request;
  request.from = self();
  if (joined.leader == member_ && !joined.skip_assignment)
    request.assignments = assign(joined.members, options_.partitions);
  Request<engine::SyncAnswer> ask = [request](engine::ClusterEngine& engine) {
    return engine.groups().sync(request, engine.loop().now() + kJoinTimeOut, nullptr);
  };
  auto answer = co_await call<engine::SyncAnswer>(std::move(ask), kJoinTimeOut);
  if (!answer || answer->failure) co_return false;
  if (answer->refusal != Refusal::none) {
    survive(answer->refusal);
    co_return false;
  }
  owned_ = numbers_of(std::string(as_text(answer->assignment.view())));
  // A static member is the same one after it came back.
  checker_.owns(generation_, options_.is_static ? options_.name : member_, owned_);
  co_return co_await fetch();
}

rt::Task<bool> GroupMember::fetch() {
  std::vector<GroupChecker::Known> before;
  engine::OffsetsQuery query{kGroup, std::nullopt, -1, std::vector<state::PartitionRef>()};
  for (std::int32_t p : owned_) {
    before.push_back(checker_.known(p));
    query.partitions->push_back({options_.topic, PartitionIndex(p)});
  }
  Request<std::vector<engine::FetchedOffsets>> ask = [query](engine::ClusterEngine& engine) {
    return engine.groups().fetch_offsets({query}, engine.loop().now() + kTimeOut);
  };
  auto answer = co_await call<std::vector<engine::FetchedOffsets>>(std::move(ask), kTimeOut);
  if (!answer || !answer->front().ok()) co_return false;
  positions_.clear();
  for (std::size_t i = 0; i < owned_.size(); ++i) {
    const std::int64_t offset = answer->front().offsets.at(i).offset;
    checker_.fetched(owned_[i], offset, before[i], who());
    positions_[owned_[i]] = std::max<std::int64_t>(offset, 0);
  }
  co_return true;
}

rt::Task<bool> GroupMember::beat() {
  Request<GroupOutcome> ask = [id = self()](engine::ClusterEngine& engine) {
    return engine.groups().heartbeat(id, engine.loop().now() + kTimeOut);
  };
  auto answer = co_await call<GroupOutcome>(std::move(ask), kTimeOut);
  if (!answer || answer->failure) co_return true;
  if (answer->refusal == Refusal::none) {
    // The group was settled where the commit had been folded: it may not end this member so soon.
    const auto here = std::pair(broker_, caller_.cluster().generation(broker_));
    if (committed_at_ && here == committed_by_) alive_since_ = committed_at_;
    co_return true;
  }
  survive(answer->refusal);
  co_return false;
}

rt::Task<bool> GroupMember::commit(std::int32_t partition) {
  const std::int64_t position = positions_[partition];
  checker_.processed(partition, position);
  const GroupChecker::Known before = checker_.known(partition);
  const MonoTime sent = caller_.loop().now();
  std::vector<engine::OffsetToCommit> offsets = {
      {{options_.topic, PartitionIndex(partition)}, position + 1, -1, ""}};
  Request<std::vector<GroupOutcome>> ask = [id = self(), offsets](engine::ClusterEngine& engine) {
    return engine.groups().commit_offsets(id, offsets, engine.loop().now() + kTimeOut);
  };
  const std::int32_t generation = generation_;
  auto answer = co_await call<std::vector<GroupOutcome>>(std::move(ask), kTimeOut);
  if (!answer || answer->front().failure) {
    // It may still land, behind later ones of the same generation: only a new member is safe from
    // its own past.
    forget();
    co_return false;
  }
  if (answer->front().refusal != Refusal::none) {
    survive(answer->front().refusal);
    co_return false;
  }
  checker_.committed(partition, position, generation, before, who());
  committed_at_ = sent;
  committed_by_ = {broker_, caller_.cluster().generation(broker_)};
  positions_[partition] = position + 1;
  co_return true;
}

rt::Task<void> GroupMember::work() {
  rt::Random& random = caller_.random();
  working_ = true;
  while (working_ && !finishing_) {
    if (!co_await beat()) break;
    if (random.below(20) == 0) quiet_until_ = caller_.loop().now() + 4s;
    const bool quiet = caller_.loop().now() < quiet_until_;
    for (std::size_t i = 0; i < owned_.size() && working_ && !quiet; ++i) {
      if (random.below(2) == 0) continue;
      working_ = co_await commit(owned_[i]);
    }
    if (!working_) break;
    co_await rt::sleep_for(caller_.loop(), kPause + Duration(1ms) * random.below(300));
    if (behaves_ || random.below(60) != 0) continue;
    const std::uint64_t what = random.below(3);
    if (what == 0) {
      // Stalls, and goes on as if nothing had happened.
      alive_since_.reset();
      co_await rt::sleep_for(caller_.loop(),
                             Duration(1ms) * (options_.session_ms + random.below(8'000)));
      continue;
    }
    working_ = false;
    if (what == 1) co_await leave();
    // Dies: a new process knows nothing.
    forget();
    co_await rt::sleep_for(caller_.loop(), Duration(1ms) * random.below(10'000));
  }
  working_ = false;
  owned_.clear();
}

rt::Task<void> GroupMember::leave() {
  if (member_.empty()) co_return;
  engine::LeavingId id{member_, self().instance};
  Request<std::vector<GroupOutcome>> ask = [id](engine::ClusterEngine& engine) {
    return engine.groups().leave(kGroup, {id}, engine.loop().now() + kTimeOut);
  };
  co_await call<std::vector<GroupOutcome>>(std::move(ask), kTimeOut);
  forget();
}

rt::Task<void> GroupMember::run() {
  broker_ = caller_.any_broker();
  while (!finishing_) {
    if (co_await join())
      co_await work();
    else
      co_await rt::sleep_for(caller_.loop(), kPause);
  }
  co_await leave();
  done_ = true;
}

std::string GroupMember::describe() const {
  return options_.name + " (" + member_ + "), generation " + std::to_string(generation_) +
         (working_ ? ", works" : ", joins") + "; last trouble: " + trouble_;
}

}  // namespace weir::sim
