"""The base class of tests that talk to a broker.

A test has a work directory of its own below build/tests, kept only if the test fails. Every broker that it started is
stopped at its end, and what the brokers did wrong (a crash, a `bug` in the log, a refusal to stop) fails the test even
where the clients saw nothing of it. Random choices come from `self.random`, whose seed is printed; WEIR_SEED sets it.
"""
import os
import pathlib
import random
import shutil
import tempfile
import unittest

from harness.broker import ROOT, Broker
from harness.stores import store_of


def new_work_directory(name):
    parent = ROOT / "build/tests"
    parent.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))


def failed(test):
    """True once something of `test` has failed, in the eyes of the runner's result."""
    outcome = getattr(test, "_outcome", None)
    if outcome is None:
        return False
    bad = outcome.result.failures + outcome.result.errors
    return any(test in (other, getattr(other, "test_case", None)) for other, _ in bad)


class Fleet:
    """The brokers of one test or class, and the directory that they and their clients write to."""

    def __init__(self, name):
        self.work = new_work_directory(name)
        self.brokers = []

    def broker(self, store="store", options=(), start=True):
        """A broker on the store of that name, of this fleet; several may share one."""
        name = f"broker{len(self.brokers) + 1}"
        broker = Broker(self.work, store_of(self.work, store), name, options)
        self.brokers.append(broker)
        return broker.start() if start else broker

    def complaints(self):
        return [text for broker in self.brokers for text in broker.complaints()]

    def close(self, keep):
        """Stops all brokers and gives their complaints; the directory stays if there are some or `keep` says so."""
        for broker in self.brokers:
            broker.stop()
        complaints = self.complaints()
        if complaints or keep:
            print(f"\nthe files of the failed test are in {self.work.relative_to(ROOT)}")
        else:
            shutil.rmtree(self.work, ignore_errors=True)
        return complaints


class BrokerCase(unittest.TestCase):
    """setUp makes `self.fleet` and `self.random`; tests start the brokers that they need."""

    maxDiff = 4000
    needs = ()  # functions of harness.installs; the class is skipped where one of them says so

    @classmethod
    def setUpClass(cls):
        for need in cls.needs:
            need()

    def setUp(self):
        seed = int(os.environ.get("WEIR_SEED", random.SystemRandom().randrange(1 << 32)))
        self.random = random.Random(seed)
        print(f"[seed {seed}] ", end="", flush=True)
        self.fleet = Fleet(self._testMethodName)
        self.addCleanup(self._close)

    def _close(self):
        complaints = self.fleet.close(keep=failed(self))
        self.assertEqual(complaints, [])


class SharedBrokerCase(unittest.TestCase):
    """One broker for all tests of the class; each test uses topics of its own. A complaint fails the test it follows."""

    maxDiff = 4000
    needs = ()  # functions of harness.installs; the class is skipped where one of them says so
    options = ()  # more words for the broker's command line

    @classmethod
    def setUpClass(cls):
        for need in cls.needs:
            need()
        cls.fleet = Fleet(cls.__name__)
        cls.ended = 0
        cls.failed = 0
        cls.addClassCleanup(cls._close)
        cls.broker = cls.fleet.broker(options=cls.options)

    @classmethod
    def _close(cls):
        complaints = cls.fleet.close(keep=cls.failed > 0 or cls.ended == 0)
        if complaints:
            raise AssertionError("\n".join(complaints))

    def tearDown(self):
        type(self).ended += 1
        type(self).failed += failed(self)
        self.assertTrue(self.broker.alive(), self.broker.log_tail())
        self.assertEqual(self.fleet.complaints(), [])

    def topic(self, suffix=""):
        """A topic name that no other test of the class uses."""
        return f"{self._testMethodName}{suffix}"
