"""Runs the Python tests of one directory as a suite: run_unittests.py DIRECTORY PATTERN.

Test classes run side by side, each in a process of its own, since most of a test's time is waiting. Prints every test
by name, the slowest with their times, and every skip with its reason. WEIR_FILTER runs only the tests whose name holds
the text. The suite is skipped where there is no test file; WEIR_REQUIRE_ALL=1 makes every skip a failure, so that
nothing can drop out of a check unseen.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

EXIT_SKIPPED = 77
SLOWEST_SHOWN = 8
# One more than the processors: a class that waits leaves its processor to another.
SIDE_BY_SIDE = (os.cpu_count() or 1) + 1


class TimedResult(unittest.TextTestResult):
    """Knows how long each test took, its class's preparation not counted."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.seconds = {}

    def startTest(self, test):
        self.seconds[test.id()] = -time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.seconds[test.id()] += time.monotonic()


def note(text):
    """One line for the closing summary of ./dev test."""
    print(text)
    path = os.environ.get("WEIR_SUITE_NOTE")
    if path:
        pathlib.Path(path).write_text(text)


def load(directory, pattern):
    loader = unittest.TestLoader()
    if os.environ.get("WEIR_FILTER"):
        loader.testNamePatterns = [f"*{os.environ['WEIR_FILTER']}*"]
    return loader.discover(directory, pattern=pattern, top_level_dir=directory)


def cases(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases(test)
        else:
            yield test


def class_of(test):
    # A file that cannot be imported is one failing test of a class of unittest's; it runs under the file's name.
    kind = type(test)
    return test.id().rsplit(".", 1)[1] if kind.__module__ == "unittest.loader" else f"{kind.__module__}.{kind.__qualname__}"


def run_class(directory, pattern, name, report):
    """The child: runs one class and writes what happened as JSON."""
    suite = unittest.TestSuite(test for test in cases(load(directory, pattern)) if class_of(test) == name)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=TimedResult).run(suite)
    report.write_text(json.dumps({
        # A class or module that skips as a whole was not counted as run.
        "run": result.testsRun - sum(isinstance(test, unittest.TestCase) for test, _ in result.skipped),
        "bad": len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses),
        "skipped": [[test.id(), reason] for test, reason in result.skipped],
        "seconds": result.seconds,
    }))


def start_class(directory, pattern, name):
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report"
        run = subprocess.run([sys.executable, __file__, directory, pattern, name, report], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        print(run.stdout, end="", flush=True)
        if report.exists():
            return json.loads(report.read_text())
    print(f"{name}: its process ended with status {run.returncode} and without a report")
    return {"run": 0, "bad": 1, "skipped": [], "seconds": {}}


def main(directory, pattern):
    require_all = os.environ.get("WEIR_REQUIRE_ALL") == "1"
    if not list(pathlib.Path(directory).rglob(pattern)):
        note(f"no test in {directory}/{pattern} yet")
        return EXIT_SKIPPED
    names = list(dict.fromkeys(class_of(test) for test in cases(load(directory, pattern))))
    if not names and os.environ.get("WEIR_FILTER"):
        note(f"no test here matches {os.environ['WEIR_FILTER']!r}")
        return EXIT_SKIPPED
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        reports = list(pool.map(lambda name: start_class(directory, pattern, name), names))
    run = sum(report["run"] for report in reports)
    bad = sum(report["bad"] for report in reports)
    skipped = [skip for report in reports for skip in report["skipped"]]
    seconds = sorted((item for report in reports for item in report["seconds"].items()), key=lambda item: -item[1])
    for name, took in seconds[:SLOWEST_SHOWN]:
        print(f"{took:6.1f} s  {name}")
    for name, reason in skipped:
        print(f"skipped {name}: {reason}")
    reasons = sorted({reason for _, reason in skipped})
    note(f"{run} tests run, {bad} failed, {len(skipped)} skipped" + (f" ({'; '.join(reasons)})" if reasons else ""))
    if bad or (require_all and skipped):
        return 1
    if run <= 0:
        return EXIT_SKIPPED if skipped else 1
    return 0


if __name__ == "__main__":
    # Tests of all directories share the package tests/harness.
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
    if len(sys.argv) > 3:
        sys.exit(run_class(*sys.argv[1:4], pathlib.Path(sys.argv[4])))
    sys.exit(main(*sys.argv[1:]))
