"""`weir cost --admin` says what a store counts: its requests a second are those that arrive at an S3 server meanwhile."""
import json
import random
import subprocess
import threading
import time
import unittest

from harness import installs, s3
from harness.broker import Broker, binary
from harness.case import BrokerCase
from harness.fault_proxy import FaultProxy
from harness.stores import S3Store

WATCHED_SECONDS = 12
# A command takes its time to begin and to end, and the server counts then too.
SHARE_MAX = 0.2
RECORD = b"x" * 500 + b"\n"


class Cost(BrokerCase):
    needs = (installs.kcat,)

    def setUp(self):
        self.server = s3.Versitygw()
        self.addCleanup(self.server.stop)
        self.server.start()
        self.proxy = FaultProxy(self.server.port, random.SystemRandom().randrange(1 << 32), faults={}, storm_seconds=0)
        self.addCleanup(self.proxy.close)
        super().setUp()
        store = S3Store(self.server, "p")
        store.url = f"s3://{s3.BUCKET}/p?endpoint={self.proxy.endpoint}"
        self.broker = Broker(self.fleet.work, store)
        self.fleet.brokers.append(self.broker)
        self.broker.start()

    def produce_until(self, done):
        client = subprocess.Popen([installs.kcat(), "-P", "-b", self.broker.address, "-t", "t", "-X", "linger.ms=5"],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not done.is_set():
            client.stdin.write(RECORD * 10)
            client.stdin.flush()
            done.wait(0.05)
        client.stdin.close()
        client.wait(30)

    def bill(self, *options):
        command = [binary(), "cost", "--admin", self.broker.admin, "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + WATCHED_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_its_requests_are_those_that_the_server_counts(self):
        done = threading.Event()
        load = threading.Thread(target=self.produce_until, args=(done,))
        load.start()
        try:
            time.sleep(3)  # For the load to be under way.
            before, begun = self.proxy.seen.copy(), time.monotonic()
            bill = self.bill("--seconds", str(WATCHED_SECONDS))
            seen, seconds = self.proxy.seen - before, time.monotonic() - begun
        finally:
            done.set()
            load.join()
        writes = sum(n for kind, n in seen.items() if kind.startswith(("PUT", "POST", "LIST")))
        reads = sum(n for kind, n in seen.items() if kind.startswith(("GET", "HEAD")))
        print(f"{bill['writes_per_second']:.2f} writes/s, {bill['reads_per_second']:.2f} reads/s, seen {dict(seen)} ... ", end="")
        self.assertGreater(writes, WATCHED_SECONDS)
        self.assertAlmostEqual(bill["writes_per_second"], writes / seconds, delta=SHARE_MAX * writes / seconds)
        self.assertAlmostEqual(bill["reads_per_second"], reads / seconds, delta=SHARE_MAX)
        dollars = bill["dollars_per_month"]
        # 0.005 $ for a thousand writes.
        self.assertAlmostEqual(dollars["writes"], bill["writes_per_second"] * 5e-6 * 30.44 * 86_400, delta=0.01)
        # About 100 KB/s, kept for a week.
        self.assertAlmostEqual(bill["stored_bytes"] / 1e9, 60, delta=30)

    def test_a_wrong_address_is_told_from_a_broker(self):
        done = subprocess.run([binary(), "cost", "--admin", f"http://{self.broker.address}", "--seconds", "1"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--admin", done.stderr)


if __name__ == "__main__":
    unittest.main()
