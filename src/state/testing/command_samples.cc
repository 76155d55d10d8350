#include "state/testing/command_samples.h"

#include "state/commands/advance_clock.h"
#include "state/commands/advance_horizon.h"
#include "state/commands/advance_start.h"
#include "state/commands/allocate_producer_ids.h"
#include "state/commands/alter_configs.h"
#include "state/commands/append_spans.h"
#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_topics.h"
#include "state/commands/deregister_broker.h"
#include "state/commands/expire_broker.h"
#include "state/commands/expire_producers.h"
#include "state/commands/forget_segments.h"
#include "state/commands/genesis.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/raise_feature_level.h"
#include "state/commands/register_broker.h"
#include "state/commands/replace_spans.h"
#include "state/commands/report_digest.h"
#include "state/commands/vouch.h"
#include "state/testing/log_builder.h"

namespace weir::state::testing {
namespace {

class Samples {
 public:
  template <class Command>
  void add(const Command& command) {
    samples_.push_back({std::string(Command::kName), encoded(command)});
  }
  std::vector<CommandSample> take() { return std::move(samples_); }

 private:
  std::vector<CommandSample> samples_;
};

void add_brokers(Samples& samples) {
  command::Genesis genesis;
  genesis.cluster_id = "golden";
  genesis.feature_level = 1;
  genesis.shard_count = 1;
  genesis.created_ms = 1'700'000'000'000;
  samples.add(genesis);
  command::RegisterBroker registration;
  registration.folded_position = 77;
  registration.requested_node_id = 5;
  registration.zone = "zone-a";
  registration.shared_identity = true;
  registration.endpoints.push_back({"PLAIN", "plaintext", "host.example", 9092});
  registration.software_version = "0.1.0";
  registration.feature_level_min = 1;
  registration.feature_level_max = 2;
  registration.session_timeout_ms = 9'000;
  samples.add(registration);
  samples.add(command::DeregisterBroker{});
  command::ExpireBroker expire;
  expire.incarnation = id_of<Uuid>(4);
  expire.voucher_position = 12;
  samples.add(expire);
  samples.add(command::Vouch{});
}

void add_topics(Samples& samples) {
  command::CreateTopics create;
  create.topics.push_back({"orders", id_of<TopicId>(6), 12, 3, {{"retention.ms", "1000"}}});
  samples.add(create);
  samples.add(command::DeleteTopics{.topic_ids = {id_of<TopicId>(7)}});
  command::CreatePartitions grow;
  grow.topics.push_back({id_of<TopicId>(6), 24});
  samples.add(grow);
  command::AlterConfigs alter;
  alter.resources.push_back({2, "orders", 3, {{"a", "1"}, {"b", std::nullopt}}});
  samples.add(alter);
}

void add_log(Samples& samples) {
  command::AppendSpans append;
  append.segment_born_position = 70;
  append.segment_counter = 8;
  append.segment_bytes = 4'096;
  append.first_byte = 64;
  append.inline_offset = 9;
  append.columns = encode_spans(std::vector{
      plain_span(id_of<TopicId>(6), 3, 10),
      run_span(id_of<TopicId>(6), 4, 7, run_of(1'001, 2, 2'147'483'647)),
      run_span(id_of<TopicId>(9), 0, 1, run_of(1'002, 0, 0)),
  });
  samples.add(append);
  command::AdvanceStart advance;
  advance.partitions.push_back({id_of<TopicId>(6), 3, 5'000'000'000, -1, -1});
  samples.add(advance);
  samples.add(command::AllocateProducerIds{.count = 1'000});
  command::ExpireProducers expire;
  expire.producers.push_back({1'001, 66});
  samples.add(expire);
}

void add_cluster(Samples& samples) {
  command::NoteSnapshot note;
  note.snapshot_position = 60;
  note.snapshot_counter = 2;
  note.digest_low = 0x0102030405060708;
  note.digest_high = -2;
  note.bytes = 12'345;
  samples.add(note);
  samples.add(command::RaiseFeatureLevel{.feature_level = 2});
  samples.add(command::AdvanceHorizon{.horizon = 50});
  command::ForgetSegments forget;
  forget.segments.push_back({40, id_of<Uuid>(3), 11});
  samples.add(forget);
}

void add_maintenance(Samples& samples) {
  command::ReplaceSpans replace;
  replace.segment_born_position = 70;
  replace.segment_counter = 9;
  replace.segment_bytes = 5'000;
  replace.first_byte = 64;
  auto& run = replace.runs.emplace_back();
  run.topic_id = id_of<TopicId>(6);
  run.partition = 3;
  run.base_offset = 100;
  run.end_offset = 350;
  run.old_digest_low = 0x0102030405060708;
  run.old_digest_high = -2;
  run.compacted_to = 340;
  run.spans = {{200, 3'000, 1'700'000'000'000}, {50, 900, -1}};
  samples.add(replace);
  samples.add(command::AdvanceClock{.wall_ms = 1'700'000'000'000});
  command::ReportDigest report;
  report.snapshot_position = 60;
  report.digest_low = 3;
  report.digest_high = -4;
  samples.add(report);
}

}  // namespace

std::vector<CommandSample> command_samples() {
  Samples samples;
  add_brokers(samples);
  add_topics(samples);
  add_log(samples);
  add_cluster(samples);
  add_maintenance(samples);
  return samples.take();
}

}  // namespace weir::state::testing
