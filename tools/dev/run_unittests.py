"""Runs the Python tests of one directory as a suite: run_unittests.py DIRECTORY PATTERN.

Prints every test by name and every skip with its reason. WEIR_FILTER runs only the tests whose name holds the text.
The suite is skipped where there is no test file; WEIR_REQUIRE_ALL=1 makes every skip a failure, so that nothing
can drop out of a check unseen.
"""
import os
import pathlib
import sys
import unittest

EXIT_SKIPPED = 77


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


def main(directory, pattern):
    # Tests of all directories share the package tests/harness.
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
    require_all = os.environ.get("WEIR_REQUIRE_ALL") == "1"
    if not list(pathlib.Path(directory).rglob(pattern)):
        note(f"no test in {directory}/{pattern} yet")
        return EXIT_SKIPPED
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(load(directory, pattern))
    # A class or module that skips as a whole was not counted as run.
    run = result.testsRun - sum(isinstance(test, unittest.TestCase) for test, _ in result.skipped)
    bad = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    for test, reason in result.skipped:
        print(f"skipped {test.id()}: {reason}")
    reasons = sorted({reason for _, reason in result.skipped})
    note(f"{run} tests run, {bad} failed, {len(result.skipped)} skipped"
         + (f" ({'; '.join(reasons)})" if reasons else ""))
    if bad or (require_all and result.skipped):
        return 1
    if run <= 0:
        return EXIT_SKIPPED if result.skipped else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
