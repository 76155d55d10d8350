"""A file goes through the broker, which is killed in the middle, and must come out byte for byte, in order.

Each producer writes the lines of the file, one record a line, to one partition, with idempotence on; a reader of
another make then writes what it gets to a second file, and the two are compared. The kills fall into the time in which
the producer runs: the offsets that the broker has reached tell when.
"""
import subprocess

from harness import installs
from harness.case import BrokerCase
from harness.wait import until

KILLS = 2
IDEMPOTENT = {"enable.idempotence": "true", "acks": "all"}
BLOCK = 1 << 20


def first_difference(a, b):
    """None, or where two files differ, with some bytes of both."""
    with open(a, "rb") as left, open(b, "rb") as right:
        at = 0
        while True:
            one, other = left.read(BLOCK), right.read(BLOCK)
            if one != other:
                i = next((i for i, (x, y) in enumerate(zip(one, other)) if x != y), min(len(one), len(other)))
                return f"at byte {at + i}: {one[i:i + 60]!r} against {other[i:i + 60]!r}"
            if not one:
                return None
            at += len(one)


class MainJob(BrokerCase):
    """Subclasses make the files and say how long things may take."""

    needs = (installs.java, installs.python, installs.kcat)
    seconds_max = 120

    def producers(self, topic):
        """Name and command line of each; the file is their standard input or their last argument."""
        address = self.bootstrap
        tuned = {"linger.ms": "20", "retry.backoff.ms": "50", "reconnect.backoff.max.ms": "500"}
        java = [*installs.java_command("org.apache.kafka.tools.ConsoleProducer", "-Xmx512m"), "--bootstrap-server", address,
                "--topic", topic, "--message-send-max-retries", "2147483647", "--batch-size", "262144",
                "--request-timeout-ms", "10000", "--compression-codec", "lz4"]
        for name, value in {**IDEMPOTENT, **tuned, "delivery.timeout.ms": "120000"}.items():
            java += ["--command-property", f"{name}={value}"]
        kcat = [installs.kcat(), "-P", "-b", address, "-t", topic, "-p", "0", "-z", "zstd",
                "-E"]  # Else it gives up when no broker answers, whatever the library would do.
        for name, value in {**IDEMPOTENT, **tuned}.items():
            kcat += ["-X", f"{name}={value}"]
        python = [installs.python(), str(installs.HERE / "agents/send_lines.py"), address, topic]
        return {"java console producer": java, "kcat": kcat, "confluent-kafka": python}

    def readers(self, topic, lines):
        address = self.bootstrap
        java = [*installs.java_command("org.apache.kafka.tools.consumer.ConsoleConsumer", "-Xmx512m"), "--bootstrap-server",
                address, "--topic", topic, "--partition", "0", "--offset", "earliest", "--max-messages", str(lines)]
        kcat = [installs.kcat(), "-C", "-b", address, "-t", topic, "-p", "0", "-o", "beginning", "-c", str(lines), "-q", "-e"]
        return {"java console consumer": java, "kcat": kcat}

    def run_job(self, producer, reader, path, lines, kills=KILLS, brokers=1):
        self.brokers = [self.fleet.broker() for _ in range(brokers)]
        self.bootstrap = ",".join(broker.address for broker in self.brokers)
        topic = "job"
        with open(path, "rb") as data, open(self.fleet.work / "producer.log", "wb") as log:
            writing = subprocess.Popen(self.producers(topic)[producer], stdin=data, stdout=log, stderr=log)
            self.addCleanup(writing.kill)
            for kill in range(kills):
                self.kill_after(writing, topic, lines * (kill + self.random.uniform(0.2, 0.9)) / (kills + 1))
            status = writing.wait(self.seconds_max)
        self.assertEqual(status, 0, (self.fleet.work / "producer.log").read_text(errors="replace")[-2000:])
        self.assertEqual(self.end(topic), lines, "records in the log")
        out = self.fleet.work / "read"
        with open(out, "wb") as file, open(self.fleet.work / "reader.log", "wb") as log:
            subprocess.run(self.readers(topic, lines)[reader], stdout=file, stderr=log, timeout=self.seconds_max, check=True)
        self.assertIsNone(first_difference(path, out))

    def kill_after(self, writing, topic, records):
        """Kills when the log has `records` and while the producer still writes; restarts at once."""
        until(lambda: self.end(topic) >= records or writing.poll() is not None, self.seconds_max, f"{records:.0f} records")
        self.assertIsNone(writing.poll(), "the producer ended before the broker was killed")
        victim = self.random.choice(self.brokers)
        victim.kill()
        victim.start()

    def end(self, topic):
        """The end offset of the only partition, by kcat; 0 while there is no topic."""
        done = subprocess.run([installs.kcat(), "-Q", "-b", self.bootstrap, "-t", f"{topic}:0:-1"], capture_output=True,
                              text=True, timeout=60)
        words = done.stdout.split()
        return int(words[-1]) if done.returncode == 0 and words and words[-1].isdigit() else 0
