#include "broker/config/config_def.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "broker/config/sources.h"
#include "broker/config/topic_settings.h"
#include "broker/testing/fake_catalog.h"

namespace weir::broker::config {
namespace {

std::vector<const ConfigDef*> all(const Defs& defs) {
  std::vector<const ConfigDef*> out;
  for (const auto& piece : defs)
    for (const ConfigDef& def : piece) out.push_back(&def);
  return out;
}

TEST(ConfigTables, AreSortedAndFoundByName) {
  for (const Defs& defs : {topic_defs(), broker_defs()}) {
    const auto rows = all(defs);
    for (std::size_t i = 1; i < rows.size(); ++i)
      EXPECT_LT(std::string_view(rows[i - 1]->name), std::string_view(rows[i]->name));
    for (const ConfigDef* def : rows) EXPECT_EQ(find_def(defs, def->name), def);
    EXPECT_EQ(find_def(defs, "no.such"), nullptr);
    EXPECT_EQ(find_def(defs, ""), nullptr);
    EXPECT_EQ(find_def(defs, "zzz"), nullptr);
  }
  EXPECT_EQ(all(topic_defs()).size(), 38u);
  EXPECT_EQ(all(broker_defs()).size(), 350u);
}

TEST(ConfigTables, EveryDefaultPassesItsOwnCheckAndHasASentence) {
  for (const Defs& defs : {topic_defs(), broker_defs()})
    for (const ConfigDef* def : all(defs)) {
      if (def->default_value) {
        EXPECT_EQ(value_problem(*def, def->default_value), "");
      }
      const std::string_view doc = def->doc;
      EXPECT_GT(doc.size(), 10u) << def->name;
      EXPECT_EQ(doc.back(), '.') << def->name;
    }
}

TEST(ConfigTables, SynonymsOfTopicConfigsAreBrokerConfigsOfOneType) {
  for (const ConfigDef* def : all(topic_defs())) {
    if (std::string_view(def->synonym).empty()) continue;
    const ConfigDef* synonym = find_def(broker_defs(), def->synonym);
    ASSERT_NE(synonym, nullptr) << def->name;
    EXPECT_EQ(synonym->type, def->type) << def->name;
    if (synonym->default_value) {
      EXPECT_STREQ(synonym->default_value, def->default_value);
    }
  }
}

std::string problem(std::string_view key, std::string_view value) {
  const ConfigDef* def = find_def(topic_defs(), key);
  if (!def) def = find_def(broker_defs(), key);
  return value_problem(*def, value);
}

TEST(ConfigValues, AreCheckedByTypeAndBounds) {
  EXPECT_EQ(problem("retention.ms", "-1"), "");
  EXPECT_EQ(problem("retention.ms", " 5 "), "");
  EXPECT_NE(problem("retention.ms", "-2"), "");
  EXPECT_NE(problem("retention.ms", "5x"), "");
  EXPECT_NE(problem("retention.ms", ""), "");
  EXPECT_NE(problem("retention.ms", "99999999999999999999"), "");
  EXPECT_NE(problem("max.message.bytes", "3000000000"), "") << "32 bits";
  EXPECT_EQ(problem("preallocate", "TRUE"), "");
  EXPECT_NE(problem("preallocate", "yes"), "");
  EXPECT_EQ(problem("min.cleanable.dirty.ratio", "0.25"), "");
  EXPECT_NE(problem("min.cleanable.dirty.ratio", "1.25"), "");
  EXPECT_EQ(problem("cleanup.policy", "compact, delete"), "");
  EXPECT_NE(problem("cleanup.policy", "purge"), "");
  EXPECT_EQ(problem("compression.type", "uncompressed"), "");
  EXPECT_NE(problem("compression.type", "none"), "");
  EXPECT_EQ(problem("compression.gzip.level", "-1"), "");
  EXPECT_NE(problem("compression.gzip.level", "0"), "");
  EXPECT_EQ(problem("leader.replication.throttled.replicas", "*"), "");
  EXPECT_EQ(problem("leader.replication.throttled.replicas", "0:1,1:2"), "");
  EXPECT_NE(problem("leader.replication.throttled.replicas", "0"), "");
  EXPECT_NE(problem("log.dirs", std::string(20'000, 'x')), "");
}

TEST(ConfigValues, ProblemsNameTheKeyAndHideSecrets) {
  EXPECT_NE(problem("retention.ms", "x").find("retention.ms"), std::string::npos);
  const std::string secret = problem("ssl.key.password", std::string(20'000, 's'));
  EXPECT_EQ(secret.find("sss"), std::string::npos);
}

class Layers : public ::testing::Test {
 protected:
  testing::FakeCatalog catalog;
  StaticValues given;
  Sources sources{given, catalog, NodeId(1)};
};

TEST_F(Layers, TheNearestCounts) {
  EXPECT_EQ(broker_value(sources, "message.max.bytes"), "1048588");
  given["message.max.bytes"] = "100";
  EXPECT_EQ(broker_value(sources, "message.max.bytes"), "100");
  catalog.change_broker_config(NodeId(-1), "message.max.bytes", "200");
  EXPECT_EQ(broker_value(sources, "message.max.bytes"), "200");
  catalog.change_broker_config(NodeId(1), "message.max.bytes", "300");
  EXPECT_EQ(broker_value(sources, "message.max.bytes"), "300");
  EXPECT_EQ(topic_value(sources, {}, "max.message.bytes"), "300");
  EXPECT_EQ(topic_value(sources, {{"max.message.bytes", "400"}}, "max.message.bytes"), "400");
}

TEST_F(Layers, HoursAndMinutesOfTheStartCountWhereMillisecondsAreNotGiven) {
  EXPECT_EQ(topic_value(sources, {}, "retention.ms"), "604800000");
  given["log.retention.hours"] = "2";
  EXPECT_EQ(topic_value(sources, {}, "retention.ms"), "7200000");
  given["log.retention.minutes"] = "3";
  EXPECT_EQ(topic_value(sources, {}, "retention.ms"), "180000");
  given["log.retention.ms"] = "4";
  EXPECT_EQ(topic_value(sources, {}, "retention.ms"), "4");
  given.clear();
  given["log.retention.hours"] = "-1";
  EXPECT_EQ(topic_value(sources, {}, "retention.ms"), "-1");
}

TEST_F(Layers, AStoredValueThatDoesNotParseCountsAsUnset) {
  EXPECT_EQ(topic_value(sources, {{"max.message.bytes", "many"}}, "max.message.bytes"), "1048588");
}

TEST_F(Layers, SettingsAreParsedAgainOnlyWhenSomethingChanged) {
  TopicSettingsCache cache;
  const TopicId id = catalog.add_topic("t", 1);
  EXPECT_EQ(cache.of(sources, *catalog.find(id)).batch_bytes_max, 1'048'588u);
  catalog.find(id)->configs = {{"max.message.bytes", "9"}};
  EXPECT_EQ(cache.of(sources, *catalog.find(id)).batch_bytes_max, 1'048'588u) << "same version";
  ++catalog.find(id)->config_version;
  EXPECT_EQ(cache.of(sources, *catalog.find(id)).batch_bytes_max, 9u);
  catalog.find(id)->configs.clear();
  ++catalog.find(id)->config_version;
  catalog.change_broker_config(NodeId(-1), "message.max.bytes", "11");
  EXPECT_EQ(cache.of(sources, *catalog.find(id)).batch_bytes_max, 11u);
}

TEST_F(Layers, TopicSettingsOfEachKind) {
  TopicSettings plain = parse_topic_settings(sources, {});
  EXPECT_FALSE(plain.compact || plain.log_append_time || plain.codec);
  EXPECT_TRUE(plain.remove_old);
  TopicSettings other =
      parse_topic_settings(sources, {{"cleanup.policy", "compact"},
                                     {"compression.type", "zstd"},
                                     {"compression.zstd.level", "7"},
                                     {"message.timestamp.type", "LogAppendTime"}});
  EXPECT_TRUE(other.compact && other.log_append_time);
  EXPECT_FALSE(other.remove_old);
  EXPECT_EQ(other.codec, codec::Codec::zstd);
  EXPECT_EQ(other.codec_level, 7);
}

}  // namespace
}  // namespace weir::broker::config
