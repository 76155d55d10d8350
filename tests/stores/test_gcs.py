"""The driver for Google Cloud Storage on an emulator: the conformance suite, races, and a broker on gs://."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

import gcs_server
from harness import installs
from harness.broker import BAD_LOG, ROOT, READY, binary
from harness.wait import Lines

CONFORMANCE_SECONDS_MAX = 280
START_SECONDS_MAX = 30
LINES = 2000


def program(name):
    """A built program, of the tree that is under test."""
    return pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / f"build/{os.environ.get('WEIR_PRESET', 'release')}")) / name


class Driver(unittest.TestCase):
    def test_it_conforms(self):
        server = gcs_server.GcsServer()
        self.addCleanup(server.stop)
        run = subprocess.run([program("weir_objstore_gcs_test"), "--gtest_filter=Gcs/*"], text=True,
                             timeout=CONFORMANCE_SECONDS_MAX,
                             env={**os.environ, "WEIR_TEST_GCS_URL": server.url},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(run.returncode, 0, run.stdout[-4000:])
        passed = re.search(r"\[  PASSED  \] (\d+) tests", run.stdout)
        self.assertTrue(passed and int(passed.group(1)) > 20, "the tests of the server did not run")


class BrokerOnGcs(unittest.TestCase):
    """One broker whose data and log live in the emulator."""

    def setUp(self):
        self.kcat = installs.kcat()
        self.server = gcs_server.GcsServer()
        self.addCleanup(self.server.stop)
        self.log = tempfile.TemporaryFile(mode="w+")
        self.addCleanup(self.log.close)

    def start(self, store="gs://weir-test/cluster"):
        broker = subprocess.Popen([binary(), "broker", "--store", store, "--listen", "127.0.0.1:0", "--admin", "off"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                  env=gcs_server.environment(self.server))
        self.addCleanup(self.end, broker)
        return broker

    def end(self, broker):
        if broker.poll() is None:
            broker.kill()
        broker.wait()
        broker.stdout.close()

    def ready(self, broker):
        """The address that clients connect to."""
        line = Lines(broker.stdout).find(READY.match, START_SECONDS_MAX, "ready line")
        return dict(word.split("=", 1) for word in line.split() if "=" in word)["listen"].removeprefix("plaintext://")

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def test_what_was_produced_survives_a_kill_and_a_restart(self):
        text = b"".join(b"line %d\n" % i for i in range(LINES))
        broker = self.start()
        address = self.ready(broker)
        done = subprocess.run([self.kcat, "-P", "-b", address, "-t", "lines", "-p", "0", "-X", "acks=all"], input=text,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        broker.send_signal(signal.SIGKILL)
        broker.wait()
        broker = self.start()
        address = self.ready(broker)
        read = subprocess.run([self.kcat, "-C", "-b", address, "-t", "lines", "-p", "0", "-o", "beginning", "-c", str(LINES),
                               "-e", "-q"], capture_output=True, timeout=60)
        self.assertEqual(read.stdout, text)
        broker.send_signal(signal.SIGTERM)
        self.assertEqual(broker.wait(60), 0)
        log = self.logged()
        self.assertNotRegex(log, BAD_LOG)
        self.assertEqual(log.count("store_probed"), 1, log)
        self.assertEqual(log.count("store_reached"), 1, "the second start skips the probe")
        names = self.server.names()
        self.assertIn("cluster/probe/passed", names)
        self.assertTrue(all(name.startswith("cluster/") for name in names), names)

    def test_a_wrong_bucket_ends_the_start_with_one_line(self):
        broker = self.start("gs://no-such-bucket/cluster")
        self.assertNotEqual(broker.wait(15), 0)
        lines = [line for line in self.logged().splitlines() if line.startswith("weir broker:")]
        self.assertEqual(len(lines), 1, self.logged())
        self.assertIn("gs://no-such-bucket/cluster", lines[0])
        self.assertIn("create the bucket", lines[0])
