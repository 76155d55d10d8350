#include "tests/sim/consumer_member.h"

#include <algorithm>
#include <iterator>

#include "engine/consumer_groups_api.h"

namespace weir::sim {

namespace {

using engine::ConsumerHeartbeatAnswer;
using engine::GroupOutcome;
using state::Refusal;

constexpr Duration kPause = 200ms;
/// Half a session: so soon nobody is put out.
constexpr Duration kSurelyMember = 3s;

engine::ConsumerGroupSettings settings_of(const ConsumerMemberOptions& options) {
  engine::ConsumerGroupSettings settings;
  settings.session_timeout_ms = options.member.session_ms;
  settings.assignment_interval_ms = 500;
  settings.members_max = 100;
  return settings;
}

std::vector<std::int32_t> without(const std::vector<std::int32_t>& all,
                                  const std::vector<std::int32_t>& some) {
  std::vector<std::int32_t> out;
  std::ranges::set_difference(all, some, std::back_inserter(out));
  return out;
}

}  // namespace

GroupWork::Self ConsumerMember::self() const {
  GroupWork::Self self{{kGroupName, member_, std::nullopt, epoch_}, true};
  if (options_.member.is_static) self.id.instance = name();
  return self;
}

engine::ConsumerHeartbeat ConsumerMember::heartbeat() const {
  engine::ConsumerHeartbeat request;
  request.group = kGroupName;
  request.member = member_;
  request.epoch = epoch_;
  request.instance = self().id.instance;
  request.client_id = name();
  request.client_host = "/sim";
  request.settings = settings_of(options_);
  if (says_all_) {
    request.rebalance_timeout_ms = kGroupRebalanceMs;
    request.assignor = options_.assignor;
    request.topics.emplace();
    if (options_.by_regex)
      request.regex = "of-the-.*";
    else
      request.topics->push_back(options_.member.topic_name);
  }
  if (says_all_ || says_owned_) {
    request.owned.emplace();
    for (std::int32_t p : work_.owned())
      request.owned->push_back({options_.member.topic, PartitionIndex(p)});
  }
  return request;
}

void ConsumerMember::lose() {
  work_.give_up_all();
  target_.clear();
  epoch_ = 0;
  says_all_ = true;
  settled_ = false;
}

void ConsumerMember::begin_life() {
  lose();
  member_ = name() + "-" + std::to_string(++lives_);
}

void ConsumerMember::refused(Refusal refusal) {
  work_.note_trouble(std::string(to_string(refusal)));
  switch (refusal) {
    case Refusal::unknown_member:
    case Refusal::fenced_member_epoch:
    case Refusal::group_not_found: return lose();
    case Refusal::fenced_instance: return begin_life();
    // Its instance id is still taken, or the group is one of the classic protocol that cannot
    // change now.
    default: says_all_ = true;
  }
}

rt::Task<void> ConsumerMember::beat() {
  Request<ConsumerHeartbeatAnswer> ask = [request = heartbeat()](engine::ClusterEngine& engine) {
    return engine.consumer_groups().heartbeat(request, engine.loop().now() + kGroupCallMax);
  };
  const MonoTime sent = caller_.loop().now();
  auto answer = co_await work_.call<ConsumerHeartbeatAnswer>(std::move(ask), kGroupCallMax);
  if (!answer || answer->failure) {
    if (answer) work_.note_trouble(weir::describe(*answer->failure));
    says_all_ = true;
    co_return;
  }
  if (answer->refusal != Refusal::none) {
    refused(answer->refusal);
    co_return;
  }
  epoch_ = answer->epoch;
  says_all_ = false;
  says_owned_ = false;
  if (answer->assignment) {
    target_.clear();
    for (const state::PartitionRef& at : *answer->assignment) target_.push_back(at.partition.value);
    std::ranges::sort(target_);
  }
  checker_.lives(name(), sent);
  co_await reconcile(target_, sent);
}

/// Applications take their time to let go of a partition, and commit what they have done.
rt::Task<void> ConsumerMember::let_go(std::vector<std::int32_t> lost, MonoTime sent) {
  rt::Random& random = caller_.random();
  co_await rt::sleep_for(caller_.loop(), Duration(1ms) * random.below(800));
  if (random.below(2) == 0) co_await work_.commit(self(), lost.front());
  // After a longer time it may be out of the group.
  if (caller_.loop().now() - sent < kSurelyMember)
    for (std::int32_t partition : lost) checker_.taken_away(partition, name());
  work_.give_up(lost);
  says_owned_ = true;
}

rt::Task<void> ConsumerMember::reconcile(std::vector<std::int32_t> target, MonoTime sent) {
  const std::vector<std::int32_t> lost = without(work_.owned(), target);
  const std::vector<std::int32_t> fresh = without(target, work_.owned());
  if (!lost.empty()) co_await let_go(lost, sent);
  settled_ = fresh.empty();
  if (fresh.empty()) co_return;
  checker_.owns(epoch_, options_.member.is_static ? name() : member_, fresh);
  settled_ = co_await work_.take(self(), fresh);
  if (settled_) says_owned_ = true;
}

rt::Task<void> ConsumerMember::commit_some() {
  const std::vector<std::int32_t> owned = work_.owned();
  for (std::int32_t partition : owned) {
    if (caller_.random().below(2) == 0) continue;
    const auto committed = co_await work_.commit(self(), partition);
    // The next heartbeat says what is the matter.
    if (committed.refusal != Refusal::none) co_return;
  }
}

rt::Task<void> ConsumerMember::misbehave() {
  rt::Random& random = caller_.random();
  const std::uint64_t what = random.below(4);
  if (what == 0) {
    // Stalls, and goes on as if nothing had happened.
    co_await rt::sleep_for(caller_.loop(),
                           Duration(1ms) * (options_.member.session_ms + random.below(8'000)));
    co_return co_await commit_some();
  }
  if (what < 3) co_await leave(options_.member.is_static && what == 1);
  // Dies: a new process knows nothing.
  begin_life();
  co_await rt::sleep_for(caller_.loop(), Duration(1ms) * random.below(10'000));
}

rt::Task<void> ConsumerMember::leave(bool temporary) {
  const engine::MemberId id = self().id;
  const bool is_member = epoch_ > 0;
  lose();
  if (!is_member) co_return;
  Request<GroupOutcome> ask = [id, temporary,
                               settings = settings_of(options_)](engine::ClusterEngine& engine) {
    return engine.consumer_groups().leave(id, temporary, settings,
                                          engine.loop().now() + kGroupCallMax);
  };
  co_await work_.call<GroupOutcome>(std::move(ask), kGroupCallMax);
}

rt::Task<void> ConsumerMember::run() {
  begin_life();
  while (!finishing_) {
    co_await beat();
    if (epoch_ > 0) co_await commit_some();
    // What was given up is said at once.
    if (!says_owned_ || says_all_)
      co_await rt::sleep_for(caller_.loop(), kPause + Duration(1ms) * caller_.random().below(300));
    if (!behaves_ && caller_.random().below(60) == 0) co_await misbehave();
  }
  co_await leave(false);
  done_ = true;
}

std::string ConsumerMember::describe() const {
  return name() + " (" + member_ + "), epoch " + std::to_string(epoch_) +
         (settled_ ? ", settled" : ", not settled") + "; last trouble: " + work_.trouble();
}

}  // namespace weir::sim
