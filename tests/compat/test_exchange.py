"""Every client writes with every codec that it has, idempotence on; every client reads back what all of them wrote."""
import time
import unittest

from harness import agents, installs, raw
from harness.case import SharedBrokerCase
from harness.kcat import Kcat
from harness.records import text_records

RECORDS = 40
CLOCK_SLACK_MS = 120_000


class Exchange(SharedBrokerCase):
    needs = (installs.java, installs.python, installs.node_modules, installs.kcat)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clients = []
        for make in (agents.java, agents.python, agents.node):
            client = make(cls.fleet.work)
            cls.addClassCleanup(client.close)
            cls.clients.append(client)
        cls.clients.append(Kcat())
        cls.java = cls.clients[0]
        cls.pairs = [(client, codec) for client in cls.clients for codec in client.codecs]
        cls.java.call("create_topic", bootstrap=cls.broker.address, topic="exchange", partitions=len(cls.pairs))
        cls.written = {}
        cls.started_ms = time.time() * 1000
        for partition, (client, codec) in enumerate(cls.pairs):
            records = text_records(RECORDS, partition, f"{client.name}-{codec}")
            offsets = client.produce(cls.broker.address, "exchange", records, codec, idempotent=True)
            if offsets is not None and offsets != list(range(RECORDS)):
                raise AssertionError(f"{client.name} with {codec} was told offsets {offsets}")
            cls.written[partition] = records

    def check_reader(self, reader):
        found = reader.consume(self.broker.address, "exchange", {p: RECORDS for p in self.written})
        for partition, records in self.written.items():
            writer, codec = self.pairs[partition]
            with self.subTest(writer=writer.name, codec=codec, reader=reader.name):
                self.assertEqual([r.offset for r in found[partition]], list(range(RECORDS)))
                self.assertEqual([r.content() for r in found[partition]], [r.content() for r in records])
                stamps = [r.timestamp for r in found[partition]]
                if writer.name == "kcat":
                    self.assertTrue(all(abs(t - self.started_ms) < CLOCK_SLACK_MS for t in stamps), stamps)
                else:
                    self.assertEqual(stamps, [r.timestamp for r in records])

    def test_java_reads_what_all_wrote(self):
        self.check_reader(self.clients[0])

    def test_confluent_kafka_reads_what_all_wrote(self):
        self.check_reader(self.clients[1])

    def test_kafkajs_reads_what_all_wrote(self):
        self.check_reader(self.clients[2])

    def test_kcat_reads_what_all_wrote(self):
        self.check_reader(self.clients[3])

    def test_batches_are_stored_with_the_codec_of_their_producer(self):
        for partition, (client, codec) in enumerate(self.pairs):
            stored = raw.fetch_batches(self.broker.address, "exchange", partition)
            with self.subTest(writer=client.name, codec=codec):
                self.assertEqual(sum(count for _, count, _ in stored), RECORDS)
                kinds = {kind for _, _, kind in stored}
                # librdkafka leaves a batch as it is where compression gains nothing.
                self.assertLessEqual(kinds, {codec, "none"})
                self.assertIn(codec, kinds)

    def test_a_read_from_the_middle_of_a_compressed_batch_starts_at_the_wanted_record(self):
        for partition, (client, codec) in enumerate(self.pairs):
            if codec != "zstd":
                continue
            for reader in self.clients:
                with self.subTest(writer=client.name, reader=reader.name):
                    found = reader.consume(self.broker.address, "exchange", {partition: RECORDS}, start={partition: 17})
                    self.assertEqual([r.offset for r in found[partition]], list(range(17, RECORDS)))
                    self.assertEqual(found[partition][0].content(), self.written[partition][17].content())


if __name__ == "__main__":
    unittest.main()
