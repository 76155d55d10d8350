"""Load through a proxy that injects every fault of a store: nothing is lost, duplicated or reordered, and the brokers
ask the store no more than their budget allows. WEIR_FAULT_SECONDS says how long, over both tests; else half an hour.
"""
import json
import os
import random
import time
import unittest

from harness import s3
from harness.broker import Broker
from harness.fault_proxy import FaultProxy
from harness.stores import S3Store
from killing import Killing

SECONDS = float(os.environ.get("WEIR_FAULT_SECONDS", "1800"))
# About a hundred kilobytes a second.
RECORDS_PER_SECOND = 300
BUDGET_PER_SECOND = 5
# Of a write, as S3 charges for it.
PRICE_OF_A_READ = 0.08
SILENCE_SECONDS_MAX = 30


class RenewedStore(S3Store):
    """Its credentials come from a process, so that brokers get new ones when the store calls them expired."""

    def __init__(self, server, endpoint, work):
        super().__init__(server, "p")
        self.url = f"s3://{s3.BUCKET}/p?endpoint={endpoint}"
        keys = work / "keys.json"
        keys.write_text(json.dumps({"Version": 1, "AccessKeyId": s3.KEY, "SecretAccessKey": s3.SECRET,
                                    "Expiration": "2100-01-01T00:00:00Z"}))
        config = work / "aws-config"
        config.write_text(f"[default]\ncredential_process = cat {keys}\n")
        self.environment = {"AWS_CONFIG_FILE": str(config), "AWS_SHARED_CREDENTIALS_FILE": str(work / "none")}


class StoreFaults(Killing):
    records_per_second = RECORDS_PER_SECOND

    def setUp(self):
        self.server = s3.Versitygw()
        self.addCleanup(self.server.stop)
        self.server.start()
        self.proxy = FaultProxy(self.server.port, random.SystemRandom().randrange(1 << 32))
        self.addCleanup(self.proxy.close)
        # Set up last, ended first: brokers stop while the store can be reached.
        super().setUp()
        self.addCleanup(setattr, self.proxy, "quiet", True)

    def new_broker(self):
        store = RenewedStore(self.server, self.proxy.endpoint, self.fleet.work)
        broker = Broker(self.fleet.work, store, f"broker{len(self.fleet.brokers) + 1}",
                        ["--set", "broker.session.timeout.ms=30000"])
        self.fleet.brokers.append(broker)
        return broker.start()

    def run_faults(self, brokers, seconds):
        self.start(brokers)
        before = self.proxy.seen.copy()
        self.proxy.quiet = False
        self.follow(seconds)
        self.proxy.quiet = True
        asked = self.proxy.seen - before
        self.check_it_is_written_all()
        stored = self.read_back()
        self.assertEqual(self.journal.faults(stored), [])
        self.judge_requests(asked, seconds, brokers)

    def follow(self, seconds):
        """Watches the load for so long; it may stumble, but not stop."""
        end, acked, moved = time.monotonic() + seconds, 0, time.monotonic()
        while time.monotonic() < end:
            time.sleep(1)
            self.assertIsNone(self.client.poll(), "the client ended")
            count = self.journal.ack_count()
            if count > acked:
                acked, moved = count, time.monotonic()
            self.assertLess(time.monotonic() - moved, SILENCE_SECONDS_MAX, "nothing is acknowledged any more")

    def check_it_is_written_all(self):
        self.stop_client()
        for broker in self.fleet.brokers:
            self.assertTrue(broker.alive())

    def judge_requests(self, asked, seconds, brokers):
        writes = sum(n for kind, n in asked.items() if kind.startswith(("PUT", "POST"))) / seconds
        reads = asked.total() / seconds - writes
        faults = sum(self.proxy.met.values())
        share = faults / max(1, asked.total())
        print(f"{brokers} brokers, {seconds:.0f} s: {self.journal.ack_count()} records, {asked.total()} requests "
              f"({writes:.2f} writes/s, {reads:.2f} reads/s), {faults} faults {dict(self.proxy.met)}, "
              f"asked {dict(asked)} ... ", end="", flush=True)
        self.assertGreater(faults, 0)
        # What a fault spoils is asked again, and looked at.
        allowed = BUDGET_PER_SECOND * (1 + 2 * share)
        self.assertLessEqual(writes, allowed)
        if brokers == 1:
            self.assertLessEqual(writes + reads, allowed)
        self.assertLessEqual(writes + reads * PRICE_OF_A_READ, allowed * 1.5)

    def test_one_broker(self):
        self.run_faults(1, SECONDS / 3)

    def test_two_brokers(self):
        self.run_faults(2, SECONDS * 2 / 3)


if __name__ == "__main__":
    unittest.main()
