#include "engine/consumer_assignment.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "engine/assignors/assignor.h"
#include "engine/limits.h"
#include "engine/topic_regex.h"
#include "serial/writer.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/limits.h"

namespace weir::engine {
namespace {

using Command = state::command::AssignConsumerGroup;
using state::ConsumerGroup;
using state::ConsumerMember;
using state::TopicInfo;

ConsumerGroup::Regexes resolve(const state::Catalog& catalog, const ConsumerGroup& group) {
  ConsumerGroup::Regexes resolved;
  for (const auto& [id, member] : group.members()) {
    if (member.regex.empty() || resolved.contains(member.regex)) continue;
    std::vector<std::string>& topics = resolved[member.regex];
    TopicRegex regex(member.regex);
    catalog.visit_topics("", [&](const TopicInfo& topic) {
      if (regex.matches(topic.name)) topics.push_back(topic.name);
      return topics.size() < state::kTopicsPerConsumerMax;
    });
  }
  return resolved;
}

/// Names that a member reads: its own list and what its expression matched.
void visit_names(const ConsumerMember& member, const ConsumerGroup::Regexes& regexes,
                 const std::function<void(const std::string&)>& visit) {
  for (const std::string& name : member.topics) visit(name);
  auto at = regexes.find(member.regex);
  if (member.regex.empty() || at == regexes.end()) return;
  for (const std::string& name : at->second) visit(name);
}

std::map<TopicId, const TopicInfo*> read_topics(const state::Catalog& catalog,
                                                const ConsumerGroup& group,
                                                const ConsumerGroup::Regexes& regexes) {
  std::map<TopicId, const TopicInfo*> topics;
  std::set<std::string_view> seen;
  for (const auto& [id, member] : group.members())
    visit_names(member, regexes, [&](const std::string& name) {
      if (!seen.insert(name).second) return;
      if (const TopicInfo* topic = catalog.topic(std::string_view(name))) topics[topic->id] = topic;
    });
  return topics;
}

std::uint64_t metadata_hash(const std::map<TopicId, const TopicInfo*>& topics) {
  std::uint64_t sum = 0;
  for (const auto& [id, topic] : topics)
    sum += hash64(id.view(), static_cast<std::uint64_t>(topic->partitions));
  return sum;
}

AssignorInput input_of(const state::Catalog& catalog, const ConsumerGroup& group,
                       const ConsumerGroup::Regexes& regexes,
                       const std::map<TopicId, const TopicInfo*>& topics) {
  AssignorInput input;
  for (const auto& [id, topic] : topics) input.topics.push_back({id, topic->partitions});
  for (const auto& [id, member] : group.members()) {
    AssignableMember& out = input.members.emplace_back();
    out.id = id;
    out.instance = member.instance;
    out.current = member.target;
    visit_names(member, regexes, [&](const std::string& name) {
      const TopicInfo* topic = catalog.topic(std::string_view(name));
      if (topic == nullptr) return;
      auto at = std::ranges::lower_bound(input.topics, topic->id, {}, &AssignableTopic::id);
      out.topics.push_back(static_cast<std::size_t>(at - input.topics.begin()));
    });
    std::ranges::sort(out.topics);
    auto rest = std::ranges::unique(out.topics);
    out.topics.erase(rest.begin(), rest.end());
  }
  return input;
}

void add_target(Command& command, const std::string& member, const state::PartitionList& list) {
  Command::MemberTarget& target = command.targets.emplace_back();
  target.member_id = member;
  for (const state::PartitionRef& at : list) {
    if (target.topics.empty() || target.topics.back().topic_id != at.topic)
      target.topics.push_back({.topic_id = at.topic, .partitions = {}});
    target.topics.back().partitions.push_back(at.partition.value);
  }
}

}  // namespace

std::string preferred_assignor(const ConsumerGroup& group, const std::string& otherwise) {
  std::map<std::string_view, std::size_t> votes;
  for (const auto& [id, member] : group.members())
    if (is_assignor(member.assignor)) ++votes[member.assignor];
  auto most = std::ranges::max_element(votes, {}, [](const auto& item) { return item.second; });
  return most == votes.end() ? otherwise : std::string(most->first);
}

std::optional<Command> plan_assignment(const state::Catalog& catalog, const state::Group& holder,
                                       const std::string& default_assignor) {
  const ConsumerGroup& group = *holder.consumer();
  if (group.members().empty()) return std::nullopt;
  ConsumerGroup::Regexes regexes = resolve(catalog, group);
  std::map<TopicId, const TopicInfo*> topics = read_topics(catalog, group, regexes);
  std::uint64_t hash = metadata_hash(topics);
  bool due = group.epoch() > group.target_epoch();
  bool resolved_anew = regexes != group.regexes();
  if (!due && !resolved_anew && hash == group.metadata_hash()) return std::nullopt;

  Command command;
  command.group_id = holder->id;
  command.group_epoch = group.epoch();
  command.target_epoch = group.target_epoch();
  command.bump = !due;
  command.metadata_hash = static_cast<std::int64_t>(hash);
  if (resolved_anew) {
    command.regexes.emplace();
    for (const auto& [regex, names] : regexes)
      command.regexes->push_back({.regex = regex, .topics = names});
  }
  Assignment assignment = assign(preferred_assignor(group, default_assignor),
                                 input_of(catalog, group, regexes, topics));
  std::size_t next = 0;
  for (const auto& [id, member] : group.members()) {
    if (assignment[next] != member.target) add_target(command, id, assignment[next]);
    ++next;
  }
  return command;
}

}  // namespace weir::engine
