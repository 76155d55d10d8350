"""Two brokers on one directory, as clients see them: one cluster, whichever broker they ask."""
import json
import unittest

from harness import agents, installs, raw
from harness.case import SharedBrokerCase
from harness.records import Record

PARTITIONS = 12
# A reader parks for longer than the test waits: what arrives in time was pushed by the wake-up, not by the time-out.
PARK_MS = 120_000
WAKE_SECONDS_MAX = 40


class TwoBrokers(SharedBrokerCase):
    needs = (installs.java, installs.python)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = cls.fleet.broker()
        cls.java = agents.java(cls.fleet.work)
        cls.addClassCleanup(cls.java.close)
        cls.python = agents.python(cls.fleet.work)
        cls.addClassCleanup(cls.python.close)

    def create(self, partitions=1, at=None):
        self.java.call("create_topic", bootstrap=(at or self.broker).address, topic=self.topic(), partitions=partitions)
        return self.topic()

    def test_both_name_the_same_brokers_and_leaders(self):
        topic = self.create(PARTITIONS)
        both = [self.java.call("describe_cluster", bootstrap=b.address) for b in (self.broker, self.other)]
        self.assertEqual(sorted(both[0]["nodes"]), sorted(both[1]["nodes"]))
        self.assertEqual({node.split("@")[1] for node in both[0]["nodes"]}, {self.broker.address, self.other.address})
        self.assertEqual(both[0]["cluster"], both[1]["cluster"])
        leaders = [self.java.call("describe_topic", bootstrap=b.address, topic=topic)["leaders"] for b in (self.broker, self.other)]
        self.assertEqual(leaders[0], leaders[1])
        self.assertEqual(set(leaders[0]), {1, 2}, "each broker leads some of the partitions")

    def test_a_reassignment_to_other_brokers_is_taken_and_moves_nothing(self):
        topic = self.create()
        tool = lambda *args: self.java.call("tool", main="org.apache.kafka.tools.reassign.ReassignPartitionsCommand", stdin="",
                                            args=["--bootstrap-server", self.broker.address, *args])
        leader = self.java.call("describe_topic", bootstrap=self.broker.address, topic=topic)["leaders"][0]
        other = 3 - leader
        plan = self.fleet.work / f"{topic}.json"
        plan.write_text(json.dumps({"version": 1, "partitions": [{"topic": topic, "partition": 0, "replicas": [other]}]}))
        done = tool("--execute", "--reassignment-json-file", str(plan))
        self.assertEqual(done["status"], 0, done)
        self.assertIn(f"Successfully started partition reassignment for {topic}-0", done["out"])
        done = tool("--list")
        self.assertEqual((done["status"], done["out"].strip()), (0, "No partition reassignments found."))
        done = tool("--verify", "--reassignment-json-file", str(plan))
        self.assertEqual(done["status"], 0, done)
        # The tool says how it is: nothing is under way, and the partition is where it was.
        self.assertIn(f"There is no active reassignment of partition {topic}-0, but replica set is {leader} rather than {other}.", done["out"])
        self.assertEqual(self.java.call("describe_topic", bootstrap=self.broker.address, topic=topic)["leaders"], [leader])

    def test_a_topic_made_at_one_is_known_at_the_other_at_once(self):
        for i in range(10):
            one, other = (self.broker, self.other) if i % 2 else (self.other, self.broker)
            name = self.topic(f"-{i}")
            self.java.call("create_topic", bootstrap=one.address, topic=name, partitions=2)
            self.assertEqual(len(self.java.call("describe_topic", bootstrap=other.address, topic=name)["leaders"]), 2)

    def test_what_one_client_writes_through_one_broker_the_other_reads_through_the_other(self):
        topic = self.create(PARTITIONS)
        for p in range(PARTITIONS):
            writer, reader = (self.java, self.python) if p % 2 else (self.python, self.java)
            at, then = (self.broker, self.other) if p % 3 else (self.other, self.broker)
            offsets = writer.produce(at.address, topic, [Record(f"{i}".encode(), partition=p) for i in range(20)], idempotent=True)
            self.assertEqual(offsets, list(range(20)))
            found = reader.consume(then.address, topic, {p: 20})[p]
            self.assertEqual([r.value for r in found], [f"{i}".encode() for i in range(20)])

    def test_either_broker_serves_any_partition(self):
        topic = self.create(4)
        self.java.produce(self.broker.address, topic, [Record(b"v", partition=p) for p in range(4)])
        for broker in (self.broker, self.other):
            for p in range(4):
                self.assertEqual(raw.fetch_batches(broker.address, topic, p), [(0, 1, "none")])

    def test_parked_readers_at_both_brokers_are_woken_by_a_write_through_either(self):
        topic = self.create(4)
        readers = []
        for broker in (self.broker, self.other):
            for p in range(4):
                reader = raw.Connection(broker.address, WAKE_SECONDS_MAX)
                self.addCleanup(reader.close)
                raw.post_fetch(reader, topic, p, wait_ms=PARK_MS)
                readers.append(reader)
        # The leaders are spread over both brokers, so that each write wakes one reader there and one elsewhere.
        self.java.produce(self.broker.address, topic, [Record(b"v", partition=p) for p in range(4)])
        for reader in readers:
            self.assertEqual(raw.fetched_batches(reader), [(0, 1, "none")])


if __name__ == "__main__":
    unittest.main()
