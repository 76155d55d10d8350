"""The loop that kills brokers under load, and the judgement of what is left."""
import subprocess
import time

from harness import installs
from harness.case import BrokerCase
from harness.kcat import Kcat
from harness.stores import S3Store
from harness.wait import Lines
from journal import Journal

PARTITIONS = 6
RECORDS_PER_SECOND = 2000
SERVE_SECONDS_MAX = 10
# Brokers of a bucket notice each other's death by their connections; of one that dies before it has any, after the session
# time-out (docs/operating.md), which is longer than the limit above.
ACQUAINTED_SECONDS = 2
CLOSE_MS = 10
START_SECONDS_MAX = 180
DRAIN_SECONDS_MAX = 90


def now_ms():
    return time.time() * 1000


class Killing(BrokerCase):
    """Subclasses say how many brokers and how often to kill."""

    needs = (installs.java, installs.kcat)
    records_per_second = RECORDS_PER_SECOND

    def run_kills(self, brokers, kills):
        self.start(brokers)
        served = [self.one_kill() for _ in range(kills)]
        self.finish(f"{kills} kills", served)
        close = sum(killed - acked <= CLOSE_MS for acked, killed in self.journal.kills)
        print(f"{close} kills within {CLOSE_MS} ms of an acknowledgement ... ", end="", flush=True)
        # On a busy machine a kill may come late now and then.
        self.assertGreaterEqual(close, len(self.journal.kills) // 2)

    def run_restarts(self, brokers, restarts):
        """The friendly end: SIGTERM, and the broker drains and goes; nothing may be lost either."""
        self.start(brokers)
        served = []
        for turn in range(restarts):
            broker = self.brokers[turn % brokers]
            moment = now_ms()
            broker.stop()
            if brokers == 1:
                moment = now_ms()
            broker.start()
            served.append(self.served(moment, "a broker"))
        self.finish(f"{restarts} restarts", served)

    def start(self, brokers):
        self.brokers = [self.new_broker() for _ in range(brokers)]
        bootstrap = ",".join(broker.address for broker in self.brokers)
        self.client = self.start_client(bootstrap)
        self.bootstrap = bootstrap
        self.assertIsNotNone(self.journal.served_after(0, START_SECONDS_MAX), "the client never got going")

    def finish(self, what, served):
        self.stop_client()
        stored = self.read_back()
        print(f"{self.journal.ack_count()} records, {what}, served again after {max(served):.1f} s at most ... ", end="", flush=True)
        self.assertEqual(self.journal.faults(stored), [])

    def new_broker(self):
        return self.fleet.broker()

    def start_client(self, bootstrap):
        self.journal = Journal(PARTITIONS)
        log = self.fleet.work / "client.log"
        command = installs.java_command("KillClient", "-Xmx512m", f"-Dorg.slf4j.simpleLogger.logFile={log}",
                                        "-Dorg.slf4j.simpleLogger.showDateTime=true")
        client = subprocess.Popen([*command, bootstrap, "killed", str(PARTITIONS), str(self.records_per_second)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.client_lines = Lines(client.stdout, self.journal.note)
        return client

    def one_kill(self):
        """Kills and restarts; gives the seconds until every partition was served again."""
        victims = [self.random.choice(self.brokers)]
        if len(self.brokers) > 1 and self.random.random() < 0.1:
            victims = self.brokers
        alone = len(victims) == len(self.brokers)
        time.sleep(self.random.uniform(0, 0.5))
        if len(self.brokers) > 1 and isinstance(self.brokers[0].store, S3Store):
            time.sleep(ACQUAINTED_SECONDS)
        # At least one in each run, however short.
        if self.random.random() < 0.5 or not self.journal.kills:
            self.kill_after_acknowledgement(victims[0])
        for victim in victims:
            victim.kill()
        moment = now_ms()
        survivor_first = not alone and self.random.random() < 0.5
        seconds = self.served(moment, "the survivor") if survivor_first else 0
        time.sleep(self.random.choice([0, self.random.uniform(0, 0.5)]))
        for victim in victims:
            victim.start()
        moment = now_ms() if alone else moment
        return max(seconds, self.served(moment, "the successor"))

    def kill_after_acknowledgement(self, victim):
        count = len(self.journal.kills)
        victim.expect_kill()
        self.client.stdin.write(f"kill {victim.pid}\n")
        self.client.stdin.flush()
        self.journal.wait_for_kill(count + 1, SERVE_SECONDS_MAX)

    def served(self, moment, who):
        seconds = self.journal.served_after(moment, SERVE_SECONDS_MAX)
        self.assertIsNotNone(seconds, f"{who} does not serve every partition within {SERVE_SECONDS_MAX} s")
        return seconds

    def stop_client(self):
        client = self.client
        client.stdin.write("stop\n")
        client.stdin.close()
        try:
            self.assertEqual(client.wait(DRAIN_SECONDS_MAX), 0)
        except subprocess.TimeoutExpired:
            self.fail(f"the client did not get all records acknowledged and read within {DRAIN_SECONDS_MAX} s: "
                      f"{self.journal.ack_count()} acknowledged, {self.journal.failures[:5]}")
        self.client_lines.join(DRAIN_SECONDS_MAX)

    def read_back(self):
        out = Kcat().run("-C", "-b", self.bootstrap, "-t", "killed", "-o", "beginning", "-e", "-q", "-f", "%p %o %s\n", timeout=120)
        stored = {p: [] for p in range(PARTITIONS)}
        for line in out.decode().splitlines():
            partition, offset, home, number, _ = line.split(" ", 4)
            self.assertEqual(partition, home, line)
            stored[int(partition)].append((int(offset), int(number)))
        return stored
