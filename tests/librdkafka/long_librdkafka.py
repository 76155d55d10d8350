"""librdkafka's own test suite against weir, compared with what expected.txt says of each number.

The runs go side by side (WEIR_JOBS, else two per core, for most of them wait), each on a broker of its own; what measures
latencies follows alone. A run that should pass and fails is repeated once. A table of all of them is printed at the end.
"""
import concurrent.futures
import os
import re
import unittest

import brokers
import expected
import suite
from harness import installs

JOBS = int(os.environ.get("WEIR_JOBS", "0")) or 2 * (os.cpu_count() or 1)
EXPECTED = expected.read()
SLOWEST = "0113"  # ten minutes: begun last it would keep everybody waiting
ALONE = ("0055", "0127")  # measure times of a few milliseconds, after everything else


def method_of(run):
    return "test_" + re.sub(r"\W", "_", run)


def wanted(run):
    return os.environ.get("WEIR_FILTER", "") in method_of(run)


class Librdkafka(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.tests = installs.librdkafka_tests()
        cls.pool = concurrent.futures.ThreadPoolExecutor(JOBS)
        cls.alone = concurrent.futures.ThreadPoolExecutor(1)
        cls.addClassCleanup(cls.close)
        runs = [run for run, (verdict, _) in sorted(EXPECTED.items(), key=cls.order) if verdict != "local" and wanted(run)]
        cls.outcomes = {run: cls.pool.submit(cls.outcome_of, run) for run in runs if not run.startswith(ALONE)}
        others = list(cls.outcomes.values())
        for run in runs:
            if run.startswith(ALONE):
                cls.outcomes[run] = cls.alone.submit(cls.outcome_after, others, run)

    @staticmethod
    def order(item):
        return item[0] != SLOWEST, item[0]

    @classmethod
    def outcome_of(cls, run):
        must_pass = expected.VERDICTS[EXPECTED[run][0]][1]
        outcome = brokers.attempt(cls.tests, run, brokers.weir, keep_files=must_pass)
        if outcome.state == "passed" or not must_pass:
            return outcome
        again = brokers.attempt(cls.tests, run, brokers.weir)
        again.reason = f"{again.reason + '; ' if again.reason else ''}the first time: {outcome.reason}"
        return again

    @classmethod
    def outcome_after(cls, others, run):
        concurrent.futures.wait(others)
        return cls.outcome_of(run)

    @classmethod
    def close(cls):
        cls.alone.shutdown(wait=False, cancel_futures=True)
        cls.pool.shutdown(cancel_futures=True)
        cls.alone.shutdown()
        print("\n\nrun                              result       time  expected      reason")
        for run, future in cls.outcomes.items():
            if not future.cancelled():
                outcome = future.result()
                print(f"{run:32} {outcome.state:8} {outcome.seconds:6.1f} s  {EXPECTED[run][0]:12}  {outcome.reason}")
        for run, future in cls.outcomes.items():
            if not future.cancelled() and future.result().state == "passed" and not expected.VERDICTS[EXPECTED[run][0]][1]:
                print(f"{run} passes; expected.txt says {EXPECTED[run][0]!r}")

    def check(self, run):
        outcome = self.outcomes[run].result()
        print(f"{outcome.state} in {outcome.seconds:.1f} s ... ", end="", flush=True)
        if expected.VERDICTS[EXPECTED[run][0]][1]:
            self.assertEqual(outcome.state, "passed", outcome.reason)

    def test_the_list_names_every_number_and_no_other(self):
        runs, local = suite.table(self.tests)
        self.assertEqual(sorted(run for run in EXPECTED if ":" not in run), sorted({*runs, *local}))
        self.assertEqual({run for run, (verdict, _) in EXPECTED.items() if verdict == "local"}, local)

    def test_the_page_shows_the_list(self):
        self.assertTrue(expected.page_is_current(EXPECTED), "run python3 tests/librdkafka/expected.py --update")


def _add(run):
    setattr(Librdkafka, method_of(run), lambda self: self.check(run))


for _run, (_verdict, _) in sorted(EXPECTED.items()):
    if _verdict != "local":
        _add(_run)


if __name__ == "__main__":
    unittest.main()
