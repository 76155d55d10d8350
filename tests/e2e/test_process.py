"""The broker as a process: what its start says, how it ends when it halts, and that no signal is lost on it."""
import pathlib
import signal
import subprocess
import unittest

from harness.broker import binary, free_port
from harness.case import new_work_directory
from harness.wait import Lines, until

SECONDS_MAX = 30
EXIT_OF_SIGNAL = 128


class Process(unittest.TestCase):
    def setUp(self):
        self.work = new_work_directory(self._testMethodName)
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.work)])
        self.store = self.work / "store"
        self.store.mkdir()

    def start(self, *options, ready=True):
        log = self.work / f"log-{len(list(self.work.glob('log-*')))}"
        with open(log, "w") as out:
            broker = subprocess.Popen([binary(), "broker", "--store", f"file://{self.store}", "--admin", "off", *options],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=out, text=True)
        broker.log = log
        self.addCleanup(broker.stdout.close)
        self.addCleanup(broker.wait)
        self.addCleanup(broker.kill)
        if ready:
            Lines(broker.stdout).find(lambda line: line.startswith("weir ready"), SECONDS_MAX, "ready line")
        return broker

    def said(self, broker, event):
        return until(lambda: [line for line in broker.log.read_text().splitlines() if f" {event} " in line],
                     SECONDS_MAX, f"{event} in the log")[0]

    def test_the_start_says_which_cluster_is_served_and_whether_it_is_new(self):
        first = self.start("--listen", "127.0.0.1:0")
        line = self.said(first, "serving")
        self.assertIn(f"store=file://{self.store} ", line)
        self.assertIn(" new_cluster=yes ", line)
        self.assertRegex(line, r" version=\d+\.\d+\.\d+ .* cluster_id=[0-9a-f]{32} .* advertise=127\.0\.0\.1:\d+$")
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(SECONDS_MAX), 0)
        self.assertIn(" new_cluster=no ", self.said(self.start("--listen", "127.0.0.1:0"), "serving"))

    def test_a_broker_that_halts_says_why_and_ends(self):
        advertised = f"127.0.0.1:{free_port()}"
        old = self.start("--listen", "127.0.0.1:0", "--advertise", advertised)
        self.start("--listen", "127.0.0.1:0", "--advertise", advertised)
        self.assertEqual(old.wait(SECONDS_MAX), 1)
        self.assertIn("Give each broker its own --node-id and --advertise", old.log.read_text().splitlines()[-1])

    def test_a_signal_ends_a_broker_that_still_starts(self):
        broker = self.start("--listen", "127.0.0.1:0")
        broker.kill()
        broker.wait()
        [log] = pathlib.Path(self.store, "log").rglob("*.wlog")
        with open(log, "r+b") as file:
            file.seek(-40, 2)
            file.write(b"damage")
        broker = self.start("--listen", "127.0.0.1:0", ready=False)
        self.said(broker, "waiting_for_a_snapshot_behind_damage")
        broker.send_signal(signal.SIGTERM)
        self.assertEqual(broker.wait(5), EXIT_OF_SIGNAL + signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
