"""The Java admin client: what it is told, and the exceptions that a program would catch."""
import unittest

from harness import agents, installs
from harness.case import SharedBrokerCase
from harness.records import Record

FIRST = 1_700_000_000_000


class Admin(SharedBrokerCase):
    needs = (installs.java,)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.java = agents.java(cls.fleet.work)
        cls.addClassCleanup(cls.java.close)

    def admin(self, op, **arguments):
        return self.java.call(op, bootstrap=self.broker.address, **arguments)

    def refused(self, kind, op, **arguments):
        with self.assertRaises(agents.AgentError) as caught:
            self.admin(op, **arguments)
        self.assertEqual(caught.exception.kind, kind, caught.exception)
        return caught.exception.text

    def test_create_topic_answers_with_the_effective_settings(self):
        answer = self.admin("create_topic", topic=self.topic(), partitions=4, replication=3,
                            topic_config={"max.message.bytes": "5000"})
        self.assertEqual((answer["partitions"], answer["replication"]), (4, 3))
        self.assertEqual(answer["config"]["max.message.bytes"], "5000")
        self.assertEqual(answer["config"]["cleanup.policy"], "delete")
        described = self.admin("describe_topic", topic=self.topic())
        self.assertEqual(described["id"], answer["id"])
        self.assertEqual(described["leaders"], [1] * 4)

    def test_create_topic_takes_the_brokers_defaults(self):
        answer = self.admin("create_topic", topic=self.topic())
        self.assertEqual((answer["partitions"], answer["replication"]), (1, 1))

    def test_refusals_of_create_topic(self):
        self.admin("create_topic", topic=self.topic(".a"))
        self.refused("TopicExistsException", "create_topic", topic=self.topic(".a"))
        self.refused("InvalidTopicException", "create_topic", topic=self.topic("_a"))
        self.refused("InvalidTopicException", "create_topic", topic="..")
        self.refused("InvalidTopicException", "create_topic", topic="x" * 250)
        self.refused("InvalidPartitionsException", "create_topic", topic=self.topic("0"), partitions=0)
        self.refused("InvalidReplicationFactorException", "create_topic", topic=self.topic("1"), replication=0)
        text = self.refused("InvalidConfigurationException", "create_topic", topic=self.topic("2"),
                            topic_config={"cleanup.policy": "burn"})
        self.assertIn("cleanup.policy", text)
        text = self.refused("InvalidConfigurationException", "create_topic", topic=self.topic("3"), topic_config={"no.such": "1"})
        self.assertIn("no.such", text)

    def test_a_deleted_topic_is_unknown_and_a_new_one_of_its_name_is_empty(self):
        first = self.admin("create_topic", topic=self.topic())
        self.java.produce(self.broker.address, self.topic(), [Record(b"old")] * 3)
        self.admin("delete_topic", topic=self.topic())
        self.refused("UnknownTopicOrPartitionException", "describe_topic", topic=self.topic())
        self.refused("UnknownTopicOrPartitionException", "delete_topic", topic=self.topic())
        second = self.admin("create_topic", topic=self.topic())
        self.assertNotEqual(first["id"], second["id"])
        self.assertEqual(self.admin("list_offsets", topic=self.topic(), partition=0, spec="latest")["offset"], 0)
        self.assertEqual(self.java.produce(self.broker.address, self.topic(), [Record(b"new")]), [0])
        self.assertEqual([r.value for r in self.java.consume(self.broker.address, self.topic(), {0: 1})[0]], [b"new"])

    def test_partitions_only_grow(self):
        self.admin("create_topic", topic=self.topic(), partitions=2)
        self.admin("create_partitions", topic=self.topic(), partitions=6)
        self.assertEqual(len(self.admin("describe_topic", topic=self.topic())["leaders"]), 6)
        self.refused("InvalidPartitionsException", "create_partitions", topic=self.topic(), partitions=6)
        self.refused("InvalidPartitionsException", "create_partitions", topic=self.topic(), partitions=1)
        self.refused("UnknownTopicOrPartitionException", "create_partitions", topic=self.topic("none"), partitions=2)

    def test_the_cluster_is_described(self):
        answer = self.admin("describe_cluster")
        self.assertEqual(answer["nodes"], [f"1@127.0.0.1:{self.broker.port}"])
        self.assertEqual(answer["controller"], 1)
        self.assertTrue(answer["cluster"])

    def test_offsets_by_time_are_those_of_records(self):
        self.admin("create_topic", topic=self.topic())
        stamps = [FIRST, FIRST + 500, FIRST + 9000, FIRST + 2000, FIRST + 3000]
        self.java.produce(self.broker.address, self.topic(), [Record(b"v", timestamp=t) for t in stamps], codec="lz4")
        listed = lambda spec: tuple(self.admin("list_offsets", topic=self.topic(), partition=0, spec=spec).values())
        self.assertEqual(listed("earliest"), (0, -1))
        self.assertEqual(listed("latest"), (5, -1))
        self.assertEqual(listed("max_timestamp"), (2, FIRST + 9000))
        self.assertEqual(listed(FIRST + 1), (1, FIRST + 500))
        self.assertEqual(listed(FIRST + 1500), (2, FIRST + 9000))
        self.assertEqual(listed(FIRST + 9001), (-1, -1))

    def test_records_before_an_offset_are_deleted(self):
        self.admin("create_topic", topic=self.topic())
        self.java.produce(self.broker.address, self.topic(), [Record(f"{i}".encode()) for i in range(10)])
        delete = lambda before: self.admin("delete_records", topic=self.topic(), partition=0, before=before)["low"]
        self.assertEqual(delete(4), 4)
        self.assertEqual(delete(2), 4)
        self.refused("OffsetOutOfRangeException", "delete_records", topic=self.topic(), partition=0, before=11)
        self.assertEqual([r.value for r in self.java.consume(self.broker.address, self.topic(), {0: 10}, {0: 4})[0]],
                         [f"{i}".encode() for i in range(4, 10)])
        self.assertEqual(delete(-1), 10)
        self.assertEqual(self.admin("list_offsets", topic=self.topic(), partition=0, spec="earliest")["offset"], 10)
        self.admin("create_topic", topic=self.topic("compacted"), topic_config={"cleanup.policy": "compact"})
        self.refused("PolicyViolationException", "delete_records", topic=self.topic("compacted"), partition=0, before=0)

    def test_configs_have_sources_and_change_step_by_step(self):
        self.admin("create_topic", topic=self.topic(), topic_config={"cleanup.policy": "delete"})
        get = lambda: self.admin("describe_configs", topic=self.topic())["config"]
        self.assertEqual(get()["retention.ms"], {"value": "604800000", "source": "DEFAULT_CONFIG", "read_only": False, "type": "LONG"})
        change = lambda *changes: self.admin("alter_configs", topic=self.topic(), changes=changes)
        change(("SET", "retention.ms", "1000"), ("APPEND", "cleanup.policy", "compact"))
        self.assertEqual((get()["retention.ms"]["value"], get()["retention.ms"]["source"]), ("1000", "DYNAMIC_TOPIC_CONFIG"))
        self.assertEqual(get()["cleanup.policy"]["value"], "delete,compact")
        change(("DELETE", "retention.ms", ""), ("SUBTRACT", "cleanup.policy", "delete"))
        self.assertEqual((get()["retention.ms"]["value"], get()["retention.ms"]["source"]), ("604800000", "DEFAULT_CONFIG"))
        self.assertEqual(get()["cleanup.policy"]["value"], "compact")
        self.refused("InvalidConfigurationException", "alter_configs", topic=self.topic(), changes=[("SET", "retention.ms", "long")])
        self.refused("UnknownTopicOrPartitionException", "alter_configs", topic=self.topic("none"),
                     changes=[("SET", "retention.ms", "1")])
        self.refused("UnknownTopicOrPartitionException", "describe_configs", topic=self.topic("none"))

    def test_broker_configs_are_described_and_changed(self):
        get = lambda: self.admin("describe_configs", broker="1")["config"]
        self.assertEqual(get()["message.max.bytes"]["value"], "1048588")
        self.assertTrue(get()["broker.id"]["read_only"] if "broker.id" in get() else get()["node.id"]["read_only"])
        self.admin("alter_configs", broker="1", changes=[("SET", "message.max.bytes", "2000000")])
        self.assertEqual(get()["message.max.bytes"]["value"], "2000000")
        self.admin("alter_configs", broker="1", changes=[("DELETE", "message.max.bytes", "")])
        self.assertEqual(get()["message.max.bytes"]["value"], "1048588")


if __name__ == "__main__":
    unittest.main()
