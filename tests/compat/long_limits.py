"""Large messages, many partitions, many topics, long idempotent streams, producers that the broker has forgotten."""
import random
import unittest

from harness import agents, installs
from harness.case import SharedBrokerCase
from harness.kcat import Kcat
from harness.records import Record

LARGE_BYTES = 15 << 20
LIMIT_BYTES = 20 << 20
PARTITIONS = 1000
TOPICS = 15_000
STREAM_RECORDS = 20_000


class Limits(SharedBrokerCase):
    needs = (installs.java, installs.python, installs.node_modules, installs.kcat)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clients = []
        for make in (lambda work: agents.java(work, heap="2g"), agents.python, agents.node):
            client = make(cls.fleet.work)
            cls.addClassCleanup(client.close)
            cls.clients.append(client)
        cls.java, cls.python, cls.node = cls.clients

    def create(self, suffix="", **arguments):
        self.java.call("create_topic", bootstrap=self.broker.address, topic=self.topic(suffix), **arguments)
        return self.topic(suffix)

    def test_large_messages_pass_between_all_clients(self):
        topic = self.create(topic_config={"max.message.bytes": str(LIMIT_BYTES)})
        config = {"java": {"max.request.size": str(LIMIT_BYTES), "buffer.memory": str(8 * LIMIT_BYTES)},
                  "python": {"message.max.bytes": LIMIT_BYTES}, "node": {}}
        rng = random.Random(1)
        values = []
        for client in self.clients:
            for codec in ("none", "gzip"):
                values.append(rng.randbytes(LARGE_BYTES))
                offsets = client.produce(self.broker.address, topic, [Record(values[-1])], codec, config=config[client.name])
                self.assertEqual(offsets, [len(values) - 1])
        for reader in self.clients:
            with self.subTest(reader=reader.name):
                found = reader.consume(self.broker.address, topic, {0: len(values)})[0]
                self.assertEqual([r.offset for r in found], list(range(len(values))))
                # Not assertEqual: it would print the difference of 15 MiB.
                self.assertTrue(all(r.value == value for r, value in zip(found, values)))

    def test_a_thousand_partitions_are_written_and_read(self):
        topic = self.create(partitions=PARTITIONS)
        for turn, client in enumerate(self.clients[:2]):
            records = [Record(f"{client.name} {p}".encode(), partition=p) for p in range(PARTITIONS)]
            self.assertEqual(client.produce(self.broker.address, topic, records, idempotent=True), [turn] * PARTITIONS)
        for reader in self.clients[:2]:
            found = reader.consume(self.broker.address, topic, {p: 2 for p in range(PARTITIONS)})
            for p in range(PARTITIONS):
                self.assertEqual([r.value for r in found[p]], [f"java {p}".encode(), f"python {p}".encode()])
        everything = Kcat().run("-C", "-b", self.broker.address, "-t", topic, "-o", "beginning", "-e", "-q", "-f", "%p %s\n")
        self.assertEqual(sorted(everything.decode().splitlines()),
                         sorted(f"{p} {name} {p}" for p in range(PARTITIONS) for name in ("java", "python")))

    def test_fifteen_thousand_topics_in_one_request(self):
        before = len(self.python.call("topics", bootstrap=self.broker.address)["topics"])
        answer = self.java.call("create_topics", bootstrap=self.broker.address, topic=self.topic(), count=TOPICS)
        self.assertEqual(answer["listed"], before + TOPICS)
        last = self.topic(f"-{TOPICS - 1}")
        self.assertEqual(self.java.produce(self.broker.address, last, [Record(b"v")]), [0])
        self.assertEqual(len(self.python.call("topics", bootstrap=self.broker.address)["topics"]), before + TOPICS)

    def test_long_idempotent_streams_keep_their_order(self):
        topic = self.create(partitions=3)
        for partition, client in enumerate(self.clients):
            records = [Record(f"{i}".encode() * (1 + i % 50), partition=partition) for i in range(STREAM_RECORDS)]
            offsets = client.produce(self.broker.address, topic, records, "gzip", idempotent=True)
            self.assertEqual(offsets, list(range(STREAM_RECORDS)), client.name)
        for reader in self.clients:
            found = reader.consume(self.broker.address, topic, {p: STREAM_RECORDS for p in range(3)})
            for p in range(3):
                with self.subTest(reader=reader.name, writer=self.clients[p].name):
                    self.assertEqual([r.value for r in found[p]], [f"{i}".encode() * (1 + i % 50) for i in range(STREAM_RECORDS)])

    def test_an_idempotent_producer_that_the_broker_has_forgotten_goes_on(self):
        for client in (self.java, self.python):
            topic = self.create(f"-{client.name}")
            records = [Record(f"{i}".encode()) for i in range(20)]
            with self.subTest(client=client.name):
                offsets = client.produce(self.broker.address, topic, records, idempotent=True, recreate_at=10)
                self.assertEqual(offsets, [*range(10), *range(10)])
                found = self.java.consume(self.broker.address, topic, {0: 10})[0]
                self.assertEqual([r.value for r in found], [f"{i}".encode() for i in range(10, 20)])


if __name__ == "__main__":
    unittest.main()
