"""A broker whose store does not answer any more still ends when it is told to."""
import os
import shutil
import signal
import subprocess
import time
import unittest

from harness import installs, s3
from harness.broker import Broker
from harness.case import new_work_directory
from harness.stores import S3Store

DRAIN_SECONDS = 2
# For what follows the drain: cutting requests, joining threads, a busy machine.
MORE_SECONDS_MAX = 6


class Drain(unittest.TestCase):
    def setUp(self):
        installs.kcat()
        self.work = new_work_directory(self._testMethodName)
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.server = s3.Versitygw()
        self.addCleanup(self.server.stop)
        self.server.start()
        self.broker = Broker(self.work, S3Store(self.server, "p"), options=["--drain-timeout", f"{DRAIN_SECONDS}s"])
        self.addCleanup(self.broker.kill)
        self.broker.start()

    def produce(self, text, wait=True):
        client = subprocess.Popen([installs.kcat(), "-P", "-b", self.broker.address, "-t", "t", "-p", "0"],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        client.stdin.write(text)
        client.stdin.close()
        if wait:
            self.assertEqual(client.wait(30), 0)

    def hang_store(self):
        os.kill(self.server._process.pid, signal.SIGSTOP)
        # So that it can be stopped, whatever happens.
        self.addCleanup(os.kill, self.server._process.pid, signal.SIGCONT)

    def check_it_ends(self):
        begin = time.monotonic()
        self.broker.stop()
        seconds = time.monotonic() - begin
        self.assertLess(seconds, DRAIN_SECONDS + MORE_SECONDS_MAX)
        self.assertEqual(self.broker.complaints(), [])

    def test_while_records_wait_for_a_store_that_hangs(self):
        self.produce(b"before\n")
        self.hang_store()
        self.produce(b"during\n", wait=False)
        time.sleep(1)  # For the record to be on its way; it ends well without.
        self.check_it_ends()
        self.assertIn("store_cut_off", self.broker.log())

    def test_while_nothing_waits(self):
        self.produce(b"before\n")
        self.hang_store()
        self.check_it_ends()


if __name__ == "__main__":
    unittest.main()
