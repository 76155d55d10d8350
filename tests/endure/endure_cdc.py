"""Change-data capture: 15,000 topics, half of them compacted, 5 records to each of them in every 5 seconds.

What such a cluster must cost: at most 10 store requests a second in all, maintenance included; at most 512 MiB; and a
consumer of all topics is never behind by more than two flush windows (99 of 100 records). Prints requests by verb and
list price per month. The store is versitygw on this machine, whose own log is the second count of the requests.

WEIR_ENDURE_SECONDS: how long (1,800). WEIR_ENDURE_TOPICS: how many topics (15,000). WEIR_ENDURE_WINDOW_MS: the flush window.
"""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests"), str(ROOT / "tools/bench")]

import accounting  # noqa: E402
import rawwire  # noqa: E402
import topicsclient  # noqa: E402
from harness import case, s3  # noqa: E402
from harness.broker import Broker  # noqa: E402
from harness.stores import S3Store  # noqa: E402
from scrape import Metrics  # noqa: E402

SECONDS = int(os.environ.get("WEIR_ENDURE_SECONDS", "1800"))
TOPICS = int(os.environ.get("WEIR_ENDURE_TOPICS", "15000"))
WINDOW_MS = int(os.environ.get("WEIR_ENDURE_WINDOW_MS", "500"))
PERIOD = 5
REQUESTS_PER_SECOND_MAX = 10
RSS_MIB_MAX = 512
# On a quiet machine.
RESTART_SECONDS_MAX = 2
TIME_SLACK = float(os.environ.get("WEIR_SCALE_SLACK", "3"))
LEAD_SECONDS = 10
# Each topic is too small for the dirty ratio to count, so its settings ask for a compaction by age.
COMPACTION_LAG_MS = 300_000
COMPACTED = {"cleanup.policy": "compact", "max.compaction.lag.ms": str(COMPACTION_LAG_MS)}
SAMPLE_SECONDS = 30
MONTH_SECONDS = 30 * 86_400


class CountedVersitygw(s3.Versitygw):
    """Writes a line for each request."""

    def arguments(self):
        return ["--access-log", f"{self.work}/requests.log", *super().arguments()]

    def requests(self):
        with open(f"{self.work}/requests.log", "rb") as log:
            return sum(piece.count(b"\n") for piece in iter(lambda: log.read(1 << 20), b""))


class ChangeDataCapture(unittest.TestCase):
    def setUp(self):
        self.work = case.new_work_directory("cdc")
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.work)])
        self.server = CountedVersitygw()
        self.addCleanup(self.server.stop)
        self.server.start()
        window = f"{WINDOW_MS}ms"
        self.broker = Broker(self.work, S3Store(self.server, "cdc"),
                             options=["--memory", "256MiB", "--flush-interval-min", window, "--flush-interval-max", window,
                                      "--inline-bytes", "256KiB", *os.environ.get("WEIR_ENDURE_OPTIONS", "").split()])
        self.addCleanup(self.broker.stop)
        self.broker.start()

    def create(self):
        connection = rawwire.Connection(self.broker.address)
        names = [f"cdc-{number:05}" for number in range(TOPICS)]
        self.assertEqual(rawwire.create_topics(connection, names[0::2], 1, COMPACTED), len(names[0::2]))
        self.assertEqual(rawwire.create_topics(connection, names[1::2], 1), len(names[1::2]))
        connection.close()

    def client(self, what, begin):
        command = [sys.executable, str(HERE / "topicsclient.py"), what, "--bootstrap", self.broker.address,
                   "--topics", str(TOPICS), "--begin", str(begin), "--period", str(PERIOD),
                   "--rounds", str(SECONDS // PERIOD), "--ignore", "2"]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.kill)
        return process

    def result(self, process):
        out, err = process.communicate(timeout=SECONDS + 300)
        self.assertEqual(process.returncode, 0, f"{err}\n{self.broker.log_tail()}")
        return json.loads(out.splitlines()[-1])

    def watch(self, processes):
        """Until both clients have ended; a line now and then for whoever waits."""
        next_line = time.monotonic() + SAMPLE_SECONDS
        begun, cpu, count = time.monotonic(), accounting.cpu_seconds(self.broker.pid), self.server.requests()
        while any(process.poll() is None for process in processes):
            time.sleep(0.5)
            if time.monotonic() < next_line:
                continue
            next_line += SAMPLE_SECONDS
            metrics = Metrics(self.broker.admin)
            now, cpu_now, count_now = time.monotonic(), accounting.cpu_seconds(self.broker.pid), self.server.requests()
            print(f"  RSS {accounting.rss_mib(self.broker.pid):5.0f} MiB  "
                  f"broker {(cpu_now - cpu) / (now - begun):4.2f} cores  "
                  f"{(count_now - count) / (now - begun):5.1f} requests/s  "
                  f"merge backlog {metrics.total('weir_merge_backlog_bytes') / 1e6:6.1f} MB  "
                  f"compacted {metrics.total('weir_compaction_partitions_total'):6.0f}  load {accounting.load():.1f}",
                  flush=True)
            begun, cpu, count = now, cpu_now, count_now

    def test_many_small_topics_cost_little(self):
        self.create()
        begin = topicsclient.clock() + LEAD_SECONDS
        consumer = self.client("consume", begin)
        self.assertEqual(consumer.stdout.readline().strip(), "following",
                         consumer.stderr.read() if consumer.poll() is not None else "")
        producer = self.client("produce", begin)
        time.sleep(max(0.0, begin - topicsclient.clock()))
        before, served, begun = Metrics(self.broker.admin), self.server.requests(), time.monotonic()
        self.watch([producer, consumer])
        after, elapsed = Metrics(self.broker.admin), time.monotonic() - begun
        served = self.server.requests() - served
        produced, consumed = self.result(producer), self.result(consumer)
        self.report(before, after, served, elapsed, produced, consumed)

    def report(self, before, after, served, elapsed, produced, consumed):
        def grown(name, labels=""):
            return after.total(name, labels) - before.total(name, labels)

        verbs = {verb: (count - before.by_label("weir_store_requests_total", "verb").get(verb, 0)) / elapsed
                 for verb, count in after.by_label("weir_store_requests_total", "verb").items()}
        rate = grown("weir_store_requests_total") / elapsed
        dollars = grown("weir_store_price_nanodollars_total") / 1e9 * MONTH_SECONDS / elapsed
        peak = accounting.peak_rss_mib(self.broker.pid)
        print(f"\n  {TOPICS} topics, {produced['records']} records in {elapsed:.0f} s, window {WINDOW_MS} ms")
        print(f"  store requests/s: {rate:.2f} by the broker, {served / elapsed:.2f} by the server (limit "
              f"{REQUESTS_PER_SECOND_MAX}): " + ", ".join(f"{verb} {each:.2f}" for verb, each in verbs.items() if each))
        print(f"  list price of requests: {dollars:.2f} dollars a month")
        print(f"  peak RSS {peak:.0f} MiB (limit {RSS_MIB_MAX}); broker {accounting.cpu_seconds(self.broker.pid):.0f} CPU s")
        print(f"  consumer: p50 {consumed['p50_ms']:.0f} ms, p99 {consumed['p99_ms']:.0f} ms (limit {2 * WINDOW_MS}), "
              f"max {consumed['max_ms']:.0f} ms; producer: p50 {produced['p50_ms']:.0f} ms, p99 {produced['p99_ms']:.0f} "
              f"ms, late by up to {produced['lateness_ms']:.0f} ms; clients {produced['cpu_seconds']:.0f} + "
              f"{consumed['cpu_seconds']:.0f} CPU s")
        merged, compacted = grown("weir_merge_spans_total"), grown("weir_compaction_partitions_total")
        print(f"  spans merged {merged:.0f}, partitions compacted {compacted:.0f}, snapshots "
              f"{grown('weir_snapshots_written_total'):.0f}", flush=True)
        self.assertEqual(consumed["records"], produced["records"])
        self.assertLessEqual(rate, REQUESTS_PER_SECOND_MAX)
        self.assertLessEqual(served / elapsed, REQUESTS_PER_SECOND_MAX)
        self.assertLessEqual(peak, RSS_MIB_MAX)
        self.assertLessEqual(consumed["p99_ms"], 2 * WINDOW_MS)
        if elapsed > 3 * COMPACTION_LAG_MS / 1000:
            self.assertGreater(compacted, TOPICS / 2)
        if elapsed > 600:
            self.assertGreater(merged, TOPICS)
        self.check_restart()
        self.assertEqual(self.broker.complaints(), [])

    def check_restart(self):
        """From the newest snapshot and the entries behind it, each of which is a request."""
        self.broker.stop()
        begun = time.monotonic()
        self.broker.start()
        seconds = time.monotonic() - begun
        print(f"  start from the store: {seconds:.2f} s (limit {RESTART_SECONDS_MAX})", flush=True)
        self.assertLess(seconds, RESTART_SECONDS_MAX * TIME_SLACK)


if __name__ == "__main__":
    unittest.main()
