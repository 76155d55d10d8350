"""The command line tools of Apache Kafka 4.4, each by its own main, against one broker."""
import json
import re
import unittest

from harness.records import Record
from harness.tools import ToolCase


class Tools(ToolCase):
    def create(self, *args, partitions=1):
        topic = self.topic()
        self.tool("TopicCommand", "--create", "--topic", topic, "--partitions", str(partitions), *args)
        return topic

    def produce_lines(self, topic, lines, *args):
        # Its own default of 1.5 s is short for a machine that is busy with other tests.
        self.tool("ConsoleProducer", "--topic", topic, "--request-timeout-ms", "30000", *args,
                  stdin="".join(line + "\n" for line in lines))

    def consume_lines(self, topic, count, *args, partition=0, offset="earliest"):
        return self.tool("consumer.ConsoleConsumer", "--topic", topic, "--partition", str(partition), "--offset", str(offset),
                         "--max-messages", str(count), "--timeout-ms", "20000", *args).splitlines()

    def test_console_producer_and_consumer_with_every_codec(self):
        topic = self.create()
        written = []
        for codec in self.java.codecs:
            lines = [f"{codec} {i} κείμενο" for i in range(50)]
            self.produce_lines(topic, lines, "--compression-codec", codec)
            written += lines
        self.assertEqual(self.consume_lines(topic, len(written)), written)
        self.assertEqual(self.consume_lines(topic, 10, offset=120), written[120:130])

    def test_console_tools_carry_keys_headers_and_timestamps(self):
        topic = self.create()
        lines = [f"h:v{i},g:w\tk{i}\tvalue {i}" for i in range(5)]
        self.produce_lines(topic, lines, "--reader-property", "parse.headers=true", "--reader-property", "parse.key=true")
        shown = self.consume_lines(topic, 5, *[word for name in ("print.key", "print.headers", "print.offset", "print.partition",
                                                                 "print.timestamp")
                                               for word in ("--formatter-property", f"{name}=true")])
        for i, line in enumerate(shown):
            self.assertRegex(line, rf"^CreateTime:\d{{13}}\tPartition:0\tOffset:{i}\th:v{i},g:w\tk{i}\tvalue {i}$")

    def test_topics_are_created_described_altered_listed_and_deleted(self):
        topic = self.create("--replication-factor", "3", "--config", "retention.ms=3600000", partitions=3)
        shown = self.tool("TopicCommand", "--describe", "--topic", topic)
        self.assertRegex(shown, rf"Topic: {topic}\tTopicId: \S{{22}}\tPartitionCount: 3\tReplicationFactor: 3\t"
                                r"Configs: \S*retention.ms=3600000")
        self.assertEqual(re.findall(r"Partition: (\d)\tLeader: (\d+)", shown), [("0", "1"), ("1", "1"), ("2", "1")])
        self.tool("TopicCommand", "--alter", "--topic", topic, "--partitions", "5")
        self.assertIn("PartitionCount: 5", self.tool("TopicCommand", "--describe", "--topic", topic))
        self.assertIn(topic, self.tool("TopicCommand", "--list").split())
        for flag in ("--under-replicated-partitions", "--unavailable-partitions", "--under-min-isr-partitions"):
            self.assertEqual(self.tool("TopicCommand", "--describe", flag).strip(), "")
        self.tool("TopicCommand", "--delete", "--topic", topic)
        self.assertNotIn(topic, self.tool("TopicCommand", "--list").split())

    def test_creating_a_topic_twice_or_under_a_bad_name_is_refused(self):
        topic = self.create()
        out = self.tool("TopicCommand", "--create", "--topic", topic, status=1)
        self.assertIn(f"Topic '{topic}' already exists.", out + self.complaint)
        out = self.tool("TopicCommand", "--create", "--topic", "not/a/name", status=1)
        self.assertIn("Topic name is invalid", out + self.complaint)
        out = self.tool("TopicCommand", "--create", "--topic", self.topic("2"), "--config", "retention.ms=soon", status=1)
        self.assertIn("retention.ms", out + self.complaint)

    def test_shrinking_a_topic_is_refused(self):
        topic = self.create(partitions=3)
        out = self.tool("TopicCommand", "--alter", "--topic", topic, "--partitions", "2", status=1)
        self.assertIn("3 partitions", out + self.complaint)
        self.assertIn("PartitionCount: 3", self.tool("TopicCommand", "--describe", "--topic", topic))

    def test_topic_configs_are_set_shown_and_deleted(self):
        topic = self.create()
        entity = ("--entity-type", "topics", "--entity-name", topic)
        self.tool("ConfigCommand", "--alter", *entity, "--add-config", "retention.ms=7200000,cleanup.policy=[delete,compact]")
        shown = self.tool("ConfigCommand", "--describe", *entity)
        self.assertIn("retention.ms=7200000", shown)
        self.assertIn("cleanup.policy=delete,compact", shown)
        self.assertIn("DYNAMIC_TOPIC_CONFIG:retention.ms=7200000", shown)
        self.tool("ConfigCommand", "--alter", *entity, "--delete-config", "retention.ms")
        self.assertNotIn("retention.ms=7200000", self.tool("ConfigCommand", "--describe", *entity))
        everything = self.tool("ConfigCommand", "--describe", "--all", *entity)
        self.assertIn("retention.ms=604800000", everything)
        self.assertIn("segment.bytes=1073741824", everything)

    def test_a_bad_topic_config_is_refused_and_nothing_is_kept(self):
        topic = self.create()
        entity = ("--entity-type", "topics", "--entity-name", topic)
        out = self.tool("ConfigCommand", "--alter", *entity, "--add-config", "max.message.bytes=-5", status=1)
        self.assertIn("max.message.bytes", out + self.complaint)
        self.assertNotIn("max.message.bytes=-5", self.tool("ConfigCommand", "--describe", *entity))

    def test_broker_configs_are_described(self):
        shown = self.tool("ConfigCommand", "--describe", "--all", "--entity-type", "brokers", "--entity-name", "1")
        self.assertIn("message.max.bytes=1048588", shown)
        self.assertIn("num.partitions=1", shown)

    def test_offsets_are_listed_by_position_and_time(self):
        topic = self.create(partitions=2)
        first = 1_700_000_000_000
        self.java.produce(self.broker.address, topic, [Record(b"v", timestamp=first + i * 1000, partition=1) for i in range(10)])
        offsets = lambda *args: self.tool("GetOffsetShell", "--topic", topic, *args).split()
        self.assertEqual(offsets(), [f"{topic}:0:0", f"{topic}:1:10"])
        self.assertEqual(offsets("--time", "earliest"), [f"{topic}:0:0", f"{topic}:1:0"])
        self.assertIn(f"{topic}:1:4", offsets("--time", str(first + 3500)))
        self.assertIn(f"{topic}:1:9", offsets("--time", "max-timestamp"))

    def test_records_are_deleted_up_to_an_offset(self):
        topic = self.create()
        self.java.produce(self.broker.address, topic, [Record(f"{i}".encode()) for i in range(20)])
        plan = self.fleet.work / "delete.json"
        plan.write_text(json.dumps({"version": 1, "partitions": [{"topic": topic, "partition": 0, "offset": 7}]}))
        self.assertRegex(self.tool("DeleteRecordsCommand", "--offset-json-file", str(plan)), rf"partition: {topic}-0\s+low_watermark: 7")
        self.assertEqual(self.consume_lines(topic, 13), [str(i) for i in range(7, 20)])
        self.assertEqual(self.tool("GetOffsetShell", "--topic", topic, "--time", "earliest").strip(), f"{topic}:0:7")

    def test_log_directories_show_real_sizes(self):
        topic = self.create()
        self.java.produce(self.broker.address, topic, [Record(bytes(1000)) for _ in range(100)])
        shown = self.tool("LogDirsCommand", "--describe", "--topic-list", topic)
        found = json.loads(next(line for line in shown.splitlines() if line.startswith("{")))
        partitions = [p for log in found["brokers"][0]["logDirs"] for p in log["partitions"]]
        self.assertEqual([p["partition"] for p in partitions], [f"{topic}-0"])
        self.assertTrue(100_000 < partitions[0]["size"] < 110_000, partitions)

    def test_api_versions_are_those_of_kafka_for_what_is_served(self):
        shown = self.tool("BrokerApiVersionsCommand")
        served = dict(re.findall(r"(\w+)\(\d+\): (\d+(?: to \d+)?) ", shown))
        self.assertNotIn("UNKNOWN", shown)
        for name, versions in {"Produce": "0 to 13", "Fetch": "4 to 18", "ListOffsets": "1 to 11", "Metadata": "0 to 13",
                               "ApiVersions": "0 to 5", "CreateTopics": "2 to 7", "InitProducerId": "0 to 5",
                               "DescribeConfigs": "1 to 4", "DescribeCluster": "0 to 2"}.items():
            self.assertEqual(served.get(name), versions, name)


if __name__ == "__main__":
    unittest.main()
