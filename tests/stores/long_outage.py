"""A broker outlives its S3 store: a server that is gone, a bucket that is gone, and both again. No restart is needed."""
import os
import subprocess
import unittest

from harness import installs, s3
from harness.broker import Broker
from harness.case import BrokerCase
from harness.stores import S3Store
from harness.wait import until

TOPIC = "t"
BACK_SECONDS_MAX = 60


class Outage(BrokerCase):
    needs = (installs.kcat,)

    def setUp(self):
        self.server = s3.Versitygw()
        self.addCleanup(self.server.stop)  # First, so that it is done last: brokers stop while the store is there.
        self.server.start()
        super().setUp()
        self.broker = Broker(self.fleet.work, S3Store(self.server, "p"))
        self.fleet.brokers.append(self.broker)
        self.broker.start()
        self.sent = 0

    def kcat(self, *arguments, text="", seconds=60):
        return subprocess.run([installs.kcat(), "-b", self.broker.address, "-t", TOPIC, *arguments], input=text,
                              capture_output=True, text=True, timeout=seconds)

    def send(self):
        """True if a record was acknowledged."""
        done = self.kcat("-P", "-p", "0", "-X", "message.timeout.ms=3000", "-X", "enable.idempotence=true",
                         text=f"record {self.sent}\n")
        if done.returncode == 0:
            self.sent += 1
        return done.returncode == 0

    def read(self):
        done = self.kcat("-C", "-p", "0", "-o", "beginning", "-e", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def check_it_comes_back(self):
        until(self.send, BACK_SECONDS_MAX, "the broker to serve again")
        lines = self.read()
        # What was refused for lack of an answer may have been stored all the same, once.
        self.assertEqual([line for i, line in enumerate(lines) if line not in lines[:i]],
                         [f"record {i}" for i in range(self.sent)])
        self.assertTrue(self.broker.alive())

    def test_a_server_that_is_gone_for_a_while(self):
        self.assertTrue(self.send())
        self.server.stop_process()
        self.assertFalse(self.send())
        self.assertTrue(self.broker.alive())
        self.server.start()
        self.check_it_comes_back()

    def test_a_bucket_that_is_gone_for_a_while(self):
        self.assertTrue(self.send())
        bucket = f"{self.server.work}/data/{s3.BUCKET}"
        os.rename(bucket, f"{self.server.work}/away")
        self.assertFalse(self.send())
        self.assertTrue(self.broker.alive())
        os.rename(f"{self.server.work}/away", bucket)
        self.check_it_comes_back()


if __name__ == "__main__":
    unittest.main()
