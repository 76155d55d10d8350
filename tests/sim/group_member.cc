#include "tests/sim/group_member.h"

#include <algorithm>

#include "serial/writer.h"
#include "state/consumer_groups/embedded.h"
#include "wire/consumer_protocol_subscription.h"

namespace weir::sim {

namespace {

using engine::GroupOutcome;
using state::Refusal;

constexpr Duration kJoinTimeOut = 30s;
constexpr Duration kPause = 200ms;
constexpr std::int16_t kEmbeddedVersion = 1;

/// Of an eager consumer: it has given up everything before it joins.
SharedBytes subscription_to(const std::string& topic) {
  wire::ConsumerProtocolSubscription subscription;
  subscription.topics = {topic};
  serial::Writer writer;
  writer.int16(kEmbeddedVersion);
  encode(subscription, writer, kEmbeddedVersion);
  auto bytes = writer.finish();
  ENSURE(bytes.has_value());
  return bytes->flatten();
}

}  // namespace

engine::MemberId GroupMember::self() const {
  engine::MemberId id{kGroupName, member_, std::nullopt, generation_};
  if (options_.is_static) id.instance = options_.name;
  return id;
}

void GroupMember::forget() {
  member_.clear();
  alive_since_.reset();
  committed_at_.reset();
}

bool GroupMember::survive(Refusal refusal) {
  work_.note_trouble(std::string(to_string(refusal)));
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

/// Round robin over the members by their ids.
std::vector<std::pair<std::string, SharedBytes>> GroupMember::assign(
    const std::vector<engine::JoinedMember>& members) const {
  std::vector<std::string> ids;
  for (const engine::JoinedMember& member : members) ids.push_back(member.id);
  std::ranges::sort(ids);
  std::vector<std::pair<std::string, SharedBytes>> out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    state::NamedPartitions mine = {{options_.topic_name, {}}};
    for (std::size_t p = i; p < static_cast<std::size_t>(options_.partitions); p += ids.size())
      mine.front().second.push_back(static_cast<std::int32_t>(p));
    out.emplace_back(ids[i], state::encode_assignment(kEmbeddedVersion, mine));
  }
  return out;
}

engine::JoinRequest GroupMember::join_request() {
  engine::JoinRequest request;
  request.group = kGroupName;
  request.member = member_;
  request.new_member = options_.name + "-" + std::to_string(++lives_);
  if (options_.is_static) request.instance = options_.name;
  request.require_known_member = !options_.is_static;
  request.client_id = options_.name;
  request.client_host = "/sim";
  request.session_timeout_ms = options_.session_ms;
  request.rebalance_timeout_ms = kGroupRebalanceMs;
  request.protocol_type = "consumer";
  request.protocols.push_back({"range", subscription_to(options_.topic_name)});
  request.group_size_max = 100;
  request.initial_delay_ms = 500;
  return request;
}

rt::Task<bool> GroupMember::join() {
  Request<engine::JoinAnswer> ask = [request = join_request()](engine::ClusterEngine& engine) {
    return engine.groups().join(request, engine.loop().now() + kJoinTimeOut, nullptr);
  };
  auto answer = co_await work_.call<engine::JoinAnswer>(std::move(ask), kJoinTimeOut);
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
    request.assignments = assign(joined.members);
  Request<engine::SyncAnswer> ask = [request](engine::ClusterEngine& engine) {
    return engine.groups().sync(request, engine.loop().now() + kJoinTimeOut, nullptr);
  };
  auto answer = co_await work_.call<engine::SyncAnswer>(std::move(ask), kJoinTimeOut);
  if (!answer || answer->failure) co_return false;
  if (answer->refusal != Refusal::none) {
    survive(answer->refusal);
    co_return false;
  }
  std::vector<std::int32_t> owned;
  const auto assignment = state::parse_assignment(answer->assignment);
  for (const auto& [topic, partitions] : assignment.value_or(state::NamedPartitions()))
    owned.insert(owned.end(), partitions.begin(), partitions.end());
  // A static member is the same one after it came back.
  checker_.owns(generation_, options_.is_static ? options_.name : member_, owned);
  co_return co_await work_.take({self()}, owned);
}

rt::Task<bool> GroupMember::beat() {
  Request<GroupOutcome> ask = [id = self()](engine::ClusterEngine& engine) {
    return engine.groups().heartbeat(id, engine.loop().now() + kGroupCallMax);
  };
  const MonoTime sent = caller_.loop().now();
  auto answer = co_await work_.call<GroupOutcome>(std::move(ask), kGroupCallMax);
  if (!answer || answer->failure) co_return true;
  if (answer->refusal == Refusal::none) {
    checker_.lives(options_.name, sent);
    // The group was settled where the commit had been folded: it may not end this member so soon.
    if (committed_at_ && work_.here() == committed_by_) alive_since_ = committed_at_;
    co_return true;
  }
  survive(answer->refusal);
  co_return false;
}

rt::Task<bool> GroupMember::commit(std::int32_t partition) {
  const auto committed = co_await work_.commit({self()}, partition);
  if (committed.refusal != Refusal::none) {
    survive(committed.refusal);
    co_return false;
  }
  if (!committed.acknowledged) co_return true;
  committed_at_ = committed.sent;
  committed_by_ = work_.here();
  co_return true;
}

rt::Task<void> GroupMember::work() {
  rt::Random& random = caller_.random();
  working_ = true;
  while (working_ && !finishing_) {
    if (!co_await beat()) break;
    if (random.below(20) == 0) quiet_until_ = caller_.loop().now() + 4s;
    const bool quiet = caller_.loop().now() < quiet_until_;
    const std::vector<std::int32_t> owned = work_.owned();
    for (std::size_t i = 0; i < owned.size() && working_ && !quiet; ++i) {
      if (random.below(2) == 0) continue;
      working_ = co_await commit(owned[i]);
    }
    if (!working_) break;
    co_await rt::sleep_for(caller_.loop(), kPause + Duration(1ms) * random.below(300));
    if (!behaves_ && random.below(60) == 0) co_await misbehave();
  }
  working_ = false;
  work_.give_up_all();
}

rt::Task<void> GroupMember::misbehave() {
  rt::Random& random = caller_.random();
  const std::uint64_t what = random.below(3);
  if (what == 0) {
    // Stalls, and goes on as if nothing had happened.
    alive_since_.reset();
    co_await rt::sleep_for(caller_.loop(),
                           Duration(1ms) * (options_.session_ms + random.below(8'000)));
    if (!work_.owned().empty()) working_ = co_await commit(work_.owned().front());
    co_return;
  }
  working_ = false;
  if (what == 1) co_await leave();
  // Dies: a new process knows nothing.
  forget();
  work_.give_up_all();
  co_await rt::sleep_for(caller_.loop(), Duration(1ms) * random.below(10'000));
}

rt::Task<void> GroupMember::leave() {
  work_.give_up_all();
  if (member_.empty()) co_return;
  engine::LeavingId id{member_, self().instance};
  Request<std::vector<GroupOutcome>> ask = [id](engine::ClusterEngine& engine) {
    return engine.groups().leave(kGroupName, {id}, engine.loop().now() + kGroupCallMax);
  };
  co_await work_.call<std::vector<GroupOutcome>>(std::move(ask), kGroupCallMax);
  forget();
}

rt::Task<void> GroupMember::run() {
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
  return options_.name + " (" + member_ + "), classic, generation " + std::to_string(generation_) +
         (working_ ? ", works" : ", joins") + "; last trouble: " + work_.trouble();
}

}  // namespace weir::sim
