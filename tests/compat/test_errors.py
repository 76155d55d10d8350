"""What clients are told when a record, an offset or a topic is refused, in their own words."""
import time
import unittest

from harness import agents, installs, raw
from harness.case import SharedBrokerCase
from harness.kcat import Kcat, KcatError
from harness.records import Record

KINDS = {  # The same refusal by the clients' names.
    "too large": {"java": "RecordTooLargeException", "python": "MSG_SIZE_TOO_LARGE", "node": "MESSAGE_TOO_LARGE"},
    "invalid record": {"java": "InvalidRecordException", "python": "INVALID_RECORD", "node": "UNKNOWN"},
    "out of range": {"java": "OffsetOutOfRangeException", "python": "_AUTO_OFFSET_RESET", "node": "OFFSET_OUT_OF_RANGE"},
    "invalid topic": {"java": "InvalidTopicException", "python": "TOPIC_EXCEPTION", "node": "INVALID_TOPIC_EXCEPTION"},
    "timestamp": {"java": "InvalidTimestampException", "python": "INVALID_TIMESTAMP"},
}


class Errors(SharedBrokerCase):
    needs = (installs.java, installs.python, installs.node_modules, installs.kcat)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clients = []
        for make in (agents.java, agents.python, agents.node):
            client = make(cls.fleet.work)
            cls.addClassCleanup(client.close)
            cls.clients.append(client)
        cls.java, cls.python, cls.node = cls.clients

    def create(self, suffix="", **arguments):
        self.java.call("create_topic", bootstrap=self.broker.address, topic=self.topic(suffix), **arguments)
        return self.topic(suffix)

    def check_refused(self, kind, client, act):
        with self.subTest(client=client.name):
            with self.assertRaises(agents.AgentError) as caught:
                act(client)
            self.assertEqual(caught.exception.kind, KINDS[kind][client.name], caught.exception)

    def test_a_batch_over_the_topics_limit(self):
        topic = self.create(topic_config={"max.message.bytes": "10000"})
        for client in self.clients:
            self.check_refused("too large", client,
                               lambda c: c.produce(self.broker.address, topic, [Record(bytes(20_000))]))
            self.assertEqual(len(client.produce(self.broker.address, topic, [Record(bytes(5000))])), 1)
        # The limit is that of the batch as it travels: what compresses well may be longer.
        self.assertEqual(self.java.produce(self.broker.address, topic, [Record(bytes(50_000))], codec="gzip"), [3])

    def test_java_splits_a_batch_of_records_that_fit_one_by_one(self):
        topic = self.create(topic_config={"max.message.bytes": "4000"})
        records = [Record(f"{i}".encode() * 500) for i in range(10)]
        self.assertEqual(self.java.produce(self.broker.address, topic, records), list(range(10)))
        self.assertEqual([r.value for r in self.java.consume(self.broker.address, topic, {0: 10})[0]], [r.value for r in records])

    def test_a_record_without_key_on_a_compacted_topic(self):
        topic = self.create(topic_config={"cleanup.policy": "compact"})
        for client in (self.java, self.python):
            self.check_refused("invalid record", client, lambda c: c.produce(self.broker.address, topic, [Record(b"v")]))
        self.assertEqual(self.java.produce(self.broker.address, topic, [Record(b"v", key=b"k")]), [0])

    def test_a_timestamp_outside_the_window(self):
        topic = self.create(topic_config={"message.timestamp.before.max.ms": "3600000"})
        old = int(time.time() * 1000) - 7_200_000
        for client in (self.java, self.python):
            self.check_refused("timestamp", client, lambda c: c.produce(self.broker.address, topic, [Record(b"v", timestamp=old)]))

    def test_log_append_time_replaces_the_producers_timestamp(self):
        topic = self.create(topic_config={"message.timestamp.type": "LogAppendTime"})
        before = int(time.time() * 1000) - 5000
        for client in self.clients:
            client.produce(self.broker.address, topic, [Record(b"v", timestamp=1000)] * 2, codec="gzip")
        for reader in self.clients:
            with self.subTest(reader=reader.name):
                found = reader.consume(self.broker.address, topic, {0: 6})[0]
                self.assertTrue(all(before <= r.timestamp <= before + 600_000 for r in found), found)

    def test_an_offset_beyond_the_end_or_below_the_start(self):
        topic = self.create()
        self.java.produce(self.broker.address, topic, [Record(b"v")] * 10)
        self.java.call("delete_records", bootstrap=self.broker.address, topic=topic, partition=0, before=5)
        for client in self.clients:
            for start in (2, 50):
                self.check_refused("out of range", client,
                                   lambda c: c.consume(self.broker.address, topic, {0: 60}, start={0: start}))
        for reset, first in (("earliest", 5), ("latest", None)):
            found = self.java.consume(self.broker.address, topic, {0: 10}, start={0: 2}, config={"auto.offset.reset": reset})[0]
            self.assertEqual(found[0].offset if found else None, first)

    def test_a_topic_comes_into_being_when_it_is_written_to(self):
        for client in [*self.clients, Kcat()]:
            topic = self.topic(f"-{client.name}")
            with self.subTest(client=client.name):
                client.produce(self.broker.address, topic, [Record(b"first")])
                self.assertEqual([r.value for r in self.java.consume(self.broker.address, topic, {0: 1})[0]], [b"first"])

    def test_a_topic_name_that_no_topic_may_have(self):
        for client in self.clients:
            self.check_refused("invalid topic", client, lambda c: c.produce(self.broker.address, "no/such", [Record(b"v")]))
        with self.assertRaises(KcatError):
            Kcat().produce(self.broker.address, "no/such", [Record(b"v")])

    def test_a_partition_that_is_not_there(self):
        topic = self.create()
        with self.assertRaises(agents.AgentError) as caught:
            self.python.produce(self.broker.address, topic, [Record(b"v", partition=7)])
        self.assertEqual(caught.exception.kind, "_UNKNOWN_PARTITION")
        with self.assertRaises(agents.AgentError) as caught:
            self.java.produce(self.broker.address, topic, [Record(b"v", partition=7)], config={"max.block.ms": "2000"})
        self.assertEqual(caught.exception.kind, "TimeoutException")

    def test_acks_of_none_and_one(self):
        topic = self.create()
        self.assertEqual(self.java.produce(self.broker.address, topic, [Record(b"one")], acks="1", idempotent=False), [0])
        self.java.produce(self.broker.address, topic, [Record(b"none")], acks="0", idempotent=False)
        self.python.produce(self.broker.address, topic, [Record(b"zero")], acks="0")
        self.assertEqual([r.value for r in self.java.consume(self.broker.address, topic, {0: 3})[0]], [b"one", b"none", b"zero"])

    def test_broken_frames_close_their_connection_and_no_other(self):
        for broken in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff",
                       b"\x00\x00\x00\x04\x03\xe7\x00\x00", b"\x00\x00\x00\x02\x00\x00"):
            with self.subTest(bytes=broken), raw.Connection(self.broker.address) as connection:
                connection.send_bytes(broken)
                self.assertTrue(connection.closed_by_peer())
        self.assertIn(1, self.python.call("topics", bootstrap=self.broker.address)["brokers"])


if __name__ == "__main__":
    unittest.main()
