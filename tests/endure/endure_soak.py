"""A soak: small segments, short retention, topics that come and go, and a second broker that is killed again and again.

After the first third nothing may grow: not the bytes of the bucket, not the number of its objects. At the end
`weir verify` finds nothing. The store is versitygw on this machine.

WEIR_ENDURE_SECONDS: how long (1,800). WEIR_SEED: when the second broker is killed.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests"), str(ROOT / "tools/bench")]

import rawwire  # noqa: E402
import topicsclient  # noqa: E402
from harness import broker as brokers  # noqa: E402
from harness import case, s3  # noqa: E402
from harness.stores import S3Store  # noqa: E402
from scrape import Metrics  # noqa: E402

SECONDS = int(os.environ.get("WEIR_ENDURE_SECONDS", "1800"))
TOPICS, VALUE_BYTES, PERIOD, KEYS = 60, 2_000, 1.0, 20
LEAD_SECONDS = 8
RETENTION_MS = 120_000
# What a bucket holds goes up and down with merges and compactions; what does not level off exceeds this in minutes.
GROWTH_MAX = 1.15
SAMPLE_SECONDS = 5
LINE_SECONDS = 30
CHURN_SECONDS = 15
KILL_SECONDS = (20, 60)
# A broker gives up in seconds if the store does not answer, and whoever looks after it starts it again.
START_ATTEMPTS = 20
# The last removals come some delays and horizons after the last record has gone.
QUIET_SECONDS_MAX = 240
POLICIES = [
    {"cleanup.policy": "delete", "retention.ms": str(RETENTION_MS)},
    {"cleanup.policy": "delete", "retention.bytes": "1000000"},
    {"cleanup.policy": "compact", "max.compaction.lag.ms": "30000", "delete.retention.ms": "30000"},
    {"cleanup.policy": "compact,delete", "retention.ms": str(RETENTION_MS), "max.compaction.lag.ms": "20000"},
]
OPTIONS = ["--segment-bytes", "256KiB", "--inline-bytes", "64KiB", "--memory", "128MiB", "--log-grace", "60s",
           "--flush-interval-min", "100ms", "--flush-interval-max", "200ms",
           "--set", "log.retention.check.interval.ms=10000", "--set", "log.cleaner.backoff.ms=5000",
           "--set", "log.segment.delete.delay.ms=20000",
           # That of S3; a broker that comes again takes its place at once.
           "--set", "broker.session.timeout.ms=30000"]
# A busy machine must show in the figures, not as an error.
PRODUCE_TIMEOUT_MS = 120_000


class Soak(unittest.TestCase):
    def setUp(self):
        self.seed = int(os.environ.get("WEIR_SEED", random.SystemRandom().randrange(1 << 32)))
        print(f"[seed {self.seed}] ", flush=True)
        self.random = random.Random(self.seed)
        self.work = case.new_work_directory("soak")
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", str(self.work)]) if not case.failed(self) else None)
        self.server = s3.Versitygw()
        self.addCleanup(self.server.stop)
        self.server.start()
        self.store = S3Store(self.server, "soak")
        self.steady, self.victim = (brokers.Broker(self.work, self.store, name, OPTIONS) for name in ("steady", "victim"))
        for one in (self.steady, self.victim):
            self.addCleanup(one.stop)
            one.start()
        self.samples = []
        self.kills = self.slow_starts = 0

    def bucket(self):
        """Objects and bytes below the prefix."""
        count = size = 0
        for place, _, files in os.walk(f"{self.server.work}/data/{s3.BUCKET}/soak"):
            for name in files:
                try:
                    size += os.stat(f"{place}/{name}").st_size
                    count += 1
                except FileNotFoundError:
                    pass
        return count, size

    def client(self, what, begin):
        process = subprocess.Popen(
            [sys.executable, str(HERE / "topicsclient.py"), what, "--bootstrap", self.steady.address, "--prefix", "soak-",
             "--topics", str(TOPICS), "--begin", str(begin), "--period", str(PERIOD), "--rounds", str(int(SECONDS / PERIOD)),
             "--per-request", "10", "--value-bytes", str(VALUE_BYTES), "--keys", str(KEYS)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def result(self, process):
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, f"{err}\n{self.steady.log_tail()}")
        return json.loads(out.splitlines()[-1])

    def churn(self, connection, number):
        """A topic that lives for a moment."""
        records, _ = rawwire.batch(1_000, 50_000, int(time.time() * 1000), self.random)
        rawwire.create_topic(connection, f"short-{number}", 4)
        answer = connection.call(rawwire.produce_request(f"short-{number}", range(4), records, PRODUCE_TIMEOUT_MS))
        rawwire.check_produced(answer, f"short-{number}")
        if number > 0:
            rawwire.delete_topics(connection, [f"short-{number - 1}"])

    def work_until_done(self, processes):
        connection = rawwire.Connection(self.steady.address)
        now = time.monotonic()
        due = {"sample": now, "line": now, "churn": now, "kill": now + self.random.uniform(*KILL_SECONDS)}
        number = 0
        while any(process.poll() is None for process in processes):
            now = time.monotonic()
            if now >= due["sample"]:
                due["sample"] += SAMPLE_SECONDS
                self.samples.append(self.bucket())
            if now >= due["line"]:
                due["line"] += LINE_SECONDS
                self.print_line()
            if now >= due["churn"]:
                due["churn"] += CHURN_SECONDS
                self.churn(connection, number)
                number += 1
            if now >= due["kill"]:
                due["kill"] = now + self.random.uniform(*KILL_SECONDS)
                self.victim.kill()
                self.start_again()
                self.kills += 1
            time.sleep(0.2)
        connection.close()

    def start_again(self):
        for attempt in range(1, START_ATTEMPTS + 1):
            self.victim.expect_kill()
            try:
                self.victim.start()
                return
            except AssertionError as error:
                if attempt == START_ATTEMPTS:
                    raise
                print(f"  slow start: {str(error).splitlines()[0]}: {self.victim.log_tail(1)}", flush=True)
                self.slow_starts += 1

    def print_line(self):
        count, size = self.bucket()
        metrics = Metrics(self.steady.admin)
        print(f"  {count:5} objects {size / 1e6:7.1f} MB  floor {metrics.total('weir_log_floor'):6.0f}  awaiting deletion "
              f"{metrics.total('weir_segments_awaiting_deletion'):4.0f}  kills {self.kills}", flush=True)

    def verify(self, *options):
        return subprocess.run([brokers.binary(), "verify", "--store", self.store.url, *options], capture_output=True, text=True,
                              env={**os.environ, **self.store.environment})

    def test_the_bucket_levels_off_and_stays_clean(self):
        connection = rawwire.Connection(self.steady.address)
        for at, configs in enumerate(POLICIES):
            names = [f"soak-{number:05}" for number in range(TOPICS) if number % len(POLICIES) == at]
            rawwire.create_topics(connection, names, 1, configs)
        connection.close()
        begin = topicsclient.clock() + LEAD_SECONDS
        consumer = self.client("consume", begin)
        self.assertEqual(consumer.stdout.readline().strip(), "following")
        producer = self.client("produce", begin)
        self.work_until_done([producer, consumer])
        produced, consumed = self.result(producer), self.result(consumer)
        self.assertEqual(consumed["records"], produced["records"])
        growth = self.growth(produced)
        self.check_clean()
        for what, factor in growth.items():
            self.assertLess(factor, GROWTH_MAX, f"growth of {what} from the middle to the last third")
        self.assertGreater(self.kills, 0)

    def growth(self, produced):
        """By how much the means of the last third exceed those of the middle one."""
        third = len(self.samples) // 3
        parts = {"middle": self.samples[third:2 * third], "last": self.samples[2 * third:]}
        count, size = ({name: sum(sample[which] for sample in part) / len(part) for name, part in parts.items()}
                       for which in (0, 1))
        written = produced["records"] * VALUE_BYTES / 1e6
        print(f"\n  {written:.0f} MB written, {self.kills} kills, {self.slow_starts} slow starts")
        for name in parts:
            print(f"  {name} third: {count[name]:.0f} objects, {size[name] / 1e6:.1f} MB")
        return {"objects": count["last"] / count["middle"], "bytes": size["last"] / size["middle"]}

    def check_clean(self):
        """Also while brokers run; then once more without them."""
        end = time.monotonic() + QUIET_SECONDS_MAX
        while (found := self.verify("--quick")).returncode != 0 and time.monotonic() < end:
            time.sleep(5)
        count, size = self.bucket()
        print(f"  after the end: {count} objects, {size / 1e6:.1f} MB")
        for one in (self.victim, self.steady):
            one.stop()
        found = self.verify()
        print("  weir verify: " + (found.stdout.strip().splitlines() or ["nothing"])[-1], flush=True)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertEqual(self.steady.complaints() + self.victim.complaints(), [])


if __name__ == "__main__":
    unittest.main()
