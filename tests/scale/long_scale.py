"""Start-up time, idle memory and many topics at once, on the release program. Each test prints its figures.

Memory limits are decimal megabytes and hold as they are. Time limits are those of a quiet machine; what is asserted is
TIME_SLACK times as much, because suites run on busy ones, too. WEIR_SCALE_SLACK=1 asserts the limits themselves.
"""
import os
import pathlib
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools/bench")]

import accounting  # noqa: E402
import rawwire  # noqa: E402
import servers  # noqa: E402
from harness import case  # noqa: E402

TIME_SLACK = float(os.environ.get("WEIR_SCALE_SLACK", "3"))
# Longer than the allocator keeps pages that nobody uses (dirty_decay_ms in weir_main.cc).
IDLE_SECONDS = 12
EMPTY_STARTS = 5
LOG_ENTRIES = 1_000_000
LOG_TOPICS, LOG_PARTITIONS = 1_000, 10
# A broker writes a snapshot a minute while it is busy; this is a minute at more than a thousand entries a second.
LOG_TAIL = 100_000
TOPICS_AT_ONCE = 15_000


class Scale(unittest.TestCase):
    def setUp(self):
        servers.Weir.binary = os.environ.get("WEIR_BIN") or str(ROOT / "build/release/weir")
        servers.check_release(servers.Weir.binary)
        self.work = case.new_work_directory(self._testMethodName)
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.work)])

    def broker(self, store=None):
        return servers.Weir(self.work / "broker", store=store)

    def below(self, what, value, limit, unit, slack=1.0):
        print(f"\n  {what}: {value:.1f} {unit} (limit {limit} {unit})", end=" ", flush=True)
        self.assertLess(value, limit * slack, f"{what}, in {unit}")

    def idle_megabytes(self, broker):
        time.sleep(IDLE_SECONDS)
        return accounting.rss_mib(broker.pid) * 1.048576

    def test_an_empty_broker_answers_metadata_at_once_and_idles_small(self):
        starts = []
        for number in range(EMPTY_STARTS):
            with self.broker() as broker:
                starts.append(broker.exec_to_metadata_ms)
                if number == 0:
                    idle = self.idle_megabytes(broker)
        self.below(f"exec to Metadata, best of {EMPTY_STARTS}", min(starts), 100, "ms", TIME_SLACK)
        self.below("idle RSS", idle, 30, "MB")

    def log_of_a_million_entries(self, tail):
        store = self.work / "store"
        store.mkdir()
        made = subprocess.run([os.path.join(os.path.dirname(servers.Weir.binary), "weir_make_log"), str(store),
                               str(LOG_ENTRIES), str(LOG_TOPICS), str(LOG_PARTITIONS), str(tail)],
                              capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        return store

    def check_records(self, broker):
        """The last partition answers with its first records: what was measured is a broker that works."""
        topic = f"scale-{LOG_TOPICS - 1}"
        connection = broker.connection()
        self.assertEqual(rawwire.leaders(connection, topic), LOG_PARTITIONS)
        answer = connection.call(rawwire.fetch_request(topic, {LOG_PARTITIONS - 1: 0}, max_wait_ms=5_000))
        [(partition, place, size)] = list(rawwire.fetched(answer, topic))
        following, _ = rawwire.next_offset(answer, place, size, 0)
        self.assertEqual(partition, LOG_PARTITIONS - 1)
        self.assertGreater(following, 0)
        connection.close()

    def test_a_broker_starts_quickly_after_a_million_entries_and_idles_small(self):
        store = self.log_of_a_million_entries(LOG_TAIL)
        with self.broker(store) as broker:
            self.below(f"start with a snapshot {LOG_TAIL} entries old", broker.exec_to_metadata_ms / 1000, 5, "s",
                       TIME_SLACK)
            self.below("idle RSS", self.idle_megabytes(broker), 60, "MB")
            self.check_records(broker)

    def test_a_broker_starts_quickly_without_any_snapshot(self):
        store = self.log_of_a_million_entries(LOG_ENTRIES)
        with self.broker(store) as broker:
            self.below("replay of a million entries", broker.exec_to_metadata_ms / 1000, 5, "s", TIME_SLACK)
            self.check_records(broker)

    def test_many_topics_are_created_by_one_request(self):
        with self.broker() as broker:
            connection = broker.connection()
            names = [f"many-{number}" for number in range(TOPICS_AT_ONCE)]
            begun = time.perf_counter()
            created = rawwire.create_topics(connection, names, 1)
            self.below(f"{TOPICS_AT_ONCE} topics in one request", time.perf_counter() - begun, 5, "s", TIME_SLACK)
            self.assertEqual(created, TOPICS_AT_ONCE)
            for name in (names[0], names[-1]):
                self.assertEqual(rawwire.leaders(connection, name), 1)
            connection.close()


if __name__ == "__main__":
    unittest.main()
