"""Maintenance of a hundred thousand partitions: what its rounds cost in time and memory while they have work, and at rest.

Half of the partitions lose everything to retention, a quarter is compacted, a quarter is only merged. Limits of memory
and of processor time hold as they are. How long a producer waits is compared with how long it waits at rest, because
other work of the machine counts in both. WEIR_SCALE_SLACK: how much longer than on a quiet machine all may take.
"""
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/endure"), str(ROOT / "tools/bench")]

import accounting  # noqa: E402
import rawwire  # noqa: E402
import servers  # noqa: E402
from harness import broker as brokers  # noqa: E402
from harness import case  # noqa: E402
from harness.stores import DirectoryStore  # noqa: E402
from scrape import Metrics  # noqa: E402

TIME_SLACK = float(os.environ.get("WEIR_SCALE_SLACK", "3"))
TOPICS, PARTITIONS, ROUNDS = 1_000, 100, 8
UNANSWERED_MAX = 8
LAG_MS = 45_000
EXPIRING = {"retention.ms": str(LAG_MS)}
COMPACTED = {"cleanup.policy": "compact", "max.compaction.lag.ms": str(LAG_MS)}
PLAIN = {}
OPTIONS = ["--memory", "256MiB", "--set", "log.retention.check.interval.ms=5000",
           "--set", "log.segment.delete.delay.ms=1000"]
RSS_MIB_MAX = 768
# From the first batch to the last thing done, with the waits that settings ask for.
SECONDS_MAX = 150
WORK_CPU_SECONDS_MAX = 15
REST_SECONDS = 20
REST_CORES_MAX = 0.10
PROBE_MS_MAX = 50


class Probe(threading.Thread):
    """A producer that needs its answer soon: how long it waits at most says how long maintenance holds everybody up."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.connection = rawwire.Connection(address)
        rawwire.create_topic(self.connection, "probe", 1)
        self.request = rawwire.produce_request("probe", [0], rawwire.batch_of(
            [rawwire.keyed_record(0, b"key", b"value")], int(time.time() * 1000)))
        self.waits = []
        self.done = threading.Event()

    def run(self):
        while not self.done.wait(0.05):
            begun = time.perf_counter()
            rawwire.check_produced(self.connection.call(self.request), "probe")
            self.waits.append((time.perf_counter() - begun) * 1000)

    def end(self):
        self.done.set()
        self.join()
        self.connection.close()

    def since(self, count):
        """The wait of 99 of 100, and the longest."""
        waits = sorted(self.waits[count:])
        return waits[int(len(waits) * 0.99)], waits[-1]


class Maintenance(unittest.TestCase):
    def setUp(self):
        servers.check_release(brokers.binary())
        self.work = case.new_work_directory(self._testMethodName)
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.work)])
        self.broker = brokers.Broker(self.work, DirectoryStore(self.work / "store"), options=OPTIONS)
        self.addCleanup(self.broker.stop)
        self.broker.start()
        self.exceeded = []
        self.groups = {name: [f"{name}-{number}" for number in range(count)]
                       for name, count in (("expiring", TOPICS // 2), ("compacted", TOPICS // 4), ("plain", TOPICS // 4))}

    def figure(self, what, value, unit, limit=None, slack=1.0):
        """Prints it at once; whether it is within its limit is judged at the end."""
        print(f"  {what}: {value:.2f} {unit}" + (f" (limit {limit} {unit})" if limit is not None else ""), flush=True)
        if limit is not None and value >= limit * slack:
            self.exceeded.append(f"{what}: {value:.2f} {unit}")

    def create(self, connection):
        for name, configs in (("expiring", EXPIRING), ("compacted", COMPACTED), ("plain", PLAIN)):
            rawwire.create_topics(connection, self.groups[name], PARTITIONS, configs)

    def fill(self, connection):
        """A small batch of two keys for each partition in each round."""
        rng = random.Random(1)
        unanswered = []

        def settle(left):
            while len(unanswered) > left:
                rawwire.check_produced(connection.receive(), unanswered.pop(0))
        for number in range(ROUNDS):
            rows = [rawwire.keyed_record(at, b"key-%d" % at, rng.randbytes(60)) for at in range(2)]
            records = rawwire.batch_of(rows, int(time.time() * 1000))
            for topic in (name for group in self.groups.values() for name in group):
                connection.send(rawwire.produce_request(topic, range(PARTITIONS), records))
                unanswered.append(topic)
                settle(UNANSWERED_MAX)
        settle(0)

    def done(self, metrics):
        """What is done of each kind, in parts of what must be done."""
        merged = metrics.total("weir_merge_spans_total") / (TOPICS // 4 * PARTITIONS * ROUNDS)
        expired = metrics.total("weir_retention_starts_advanced_total") / (TOPICS // 2 * PARTITIONS)
        compacted = metrics.total("weir_compaction_partitions_total") / (TOPICS // 4 * PARTITIONS)
        return merged, expired, compacted

    def work_off(self, end):
        """Until everything is done that was due."""
        while time.monotonic() < end:
            metrics = Metrics(self.broker.admin)
            if min(self.done(metrics)) >= 1 and metrics.total("weir_merge_backlog_bytes") == 0:
                return
            time.sleep(1)
        self.fail(f"not done: {self.done(Metrics(self.broker.admin))}\n{self.broker.log_tail()}")

    def rounds(self, before, after):
        """Of each job: how many, and how long on the average."""
        name = "weir_maintenance_round_seconds"
        jobs = sorted({labels.split('job="')[1].split('"')[0] for row, labels, _ in after.rows if row == f"{name}_count"})
        for job in jobs:
            count, spent = (after.total(f"{name}_{part}", f'job="{job}"') - before.total(f"{name}_{part}", f'job="{job}"')
                            for part in ("count", "sum"))
            if count:
                print(f"    {job}: {count:.0f} rounds, {spent / count * 1000:.0f} ms each", flush=True)

    def test_a_hundred_thousand_partitions_are_maintained_in_bounded_time_and_memory(self):
        connection = rawwire.Connection(self.broker.address)
        print(f"\n  {TOPICS * PARTITIONS} partitions, {ROUNDS} batches each; load {accounting.load():.1f}")
        begun = time.monotonic()
        self.create(connection)
        self.figure("created after", time.monotonic() - begun, "s")
        self.figure("RSS with empty partitions", accounting.rss_mib(self.broker.pid), "MiB")
        self.fill(connection)
        self.figure("filled after", time.monotonic() - begun, "s")
        self.figure("RSS before most of the work", accounting.rss_mib(self.broker.pid), "MiB")
        connection.close()
        probe = Probe(self.broker.address)
        probe.start()
        before, cpu = Metrics(self.broker.admin), accounting.cpu_seconds(self.broker.pid)
        self.work_off(begun + SECONDS_MAX * TIME_SLACK)
        self.figure("all done after", time.monotonic() - begun, "s", SECONDS_MAX, TIME_SLACK)
        self.figure("which took", accounting.cpu_seconds(self.broker.pid) - cpu, "CPU s", WORK_CPU_SECONDS_MAX)
        after = Metrics(self.broker.admin)
        self.rounds(before, after)
        worked, _ = probe.since(0)
        self.figure("peak RSS", accounting.peak_rss_mib(self.broker.pid), "MiB", RSS_MIB_MAX)
        rested = self.rest(after, probe)
        self.figure("a producer waits, 99 of 100", worked, "ms")
        self.figure("more than at rest", worked - rested, "ms", PROBE_MS_MAX, TIME_SLACK)
        probe.end()
        self.broker.stop()
        self.assertEqual(self.exceeded, [])
        self.assertEqual(self.broker.complaints(), [])

    def rest(self, before, probe):
        """How long a producer waits where the rounds find nothing to do."""
        cpu, count = accounting.cpu_seconds(self.broker.pid), len(probe.waits)
        time.sleep(REST_SECONDS)
        cores = (accounting.cpu_seconds(self.broker.pid) - cpu) / REST_SECONDS
        print("  at rest:")
        self.rounds(before, Metrics(self.broker.admin))
        self.figure("broker", cores, "cores", REST_CORES_MAX)
        self.figure("RSS", accounting.rss_mib(self.broker.pid), "MiB")
        rested, worst = probe.since(count)
        self.figure("a producer waits, 99 of 100", rested, "ms")
        self.figure("at most", worst, "ms")
        return rested


if __name__ == "__main__":
    unittest.main()
