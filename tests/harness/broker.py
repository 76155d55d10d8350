"""One broker process on a store: start, kill -9, restart at the same port, stop, and judge its log."""
import os
import pathlib
import random
import re
import signal
import socket
import subprocess

from harness.wait import Lines

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS_MAX = 30
STOP_SECONDS_MAX = 30
READY = re.compile(r"^weir ready (.*)$")
# What a broker must never write, whatever clients do and whoever kills it.
BAD_LOG = re.compile(r"\bbug\b|ENSURE\(|AddressSanitizer|ThreadSanitizer|runtime error:|corrupt", re.IGNORECASE)


def binary():
    return os.environ.get("WEIR_BINARY") or os.environ.get("WEIR_BIN") or str(ROOT / "build/release/weir")


def free_port():
    """A free port below the range from which the kernel takes the ports of outgoing connections.

    A broker that is killed and started again needs its port back. In that range a client that keeps trying to reach
    the dead broker may be given the very port as its own, and be connected to itself.
    """
    for _ in range(200):
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise AssertionError("no free port")


class Broker:
    """Runs on `store` (harness.stores); logs go to `work`/NAME.log, one file over all its lives."""

    def __init__(self, work, store, name="broker", options=()):
        self.store = store
        self.name = name
        self.port = free_port()
        self.admin = None
        self.log_path = pathlib.Path(work) / f"{name}.log"
        self._expected = False
        self._options = [*store.options, *options]
        self._process = None
        self._complaints = []

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self):
        return self._process.pid

    def start(self):
        """Returns when the broker says that it is ready."""
        assert self._process is None, f"{self.name} runs already"
        command = [binary(), "broker", "--store", self.store.url, "--listen", self.address,
                   "--admin", "127.0.0.1:0", *self._options]
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                             text=True, cwd=self.log_path.parent,
                                             env={**os.environ, **self.store.environment})
        lines = Lines(self._process.stdout)
        try:
            ready = lines.find(READY.match, START_SECONDS_MAX, f"ready line of {self.name}")
        except AssertionError as error:
            self.kill()
            raise AssertionError(f"{error}; its log ends:\n{self.log_tail()}") from None
        words = dict(word.split("=", 1) for word in ready.split() if "=" in word)
        listen, admin = words["listen"], words["admin"]
        assert listen == f"plaintext://{self.address}", ready
        self.admin = admin
        self._expected = False
        return self

    def alive(self):
        return self._process is not None and self._process.poll() is None

    def kill(self):
        """kill -9, and gone when this returns."""
        self._reap()
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def expect_kill(self):
        """Somebody else is about to kill -9 it; `kill` is still to be called."""
        self._expected = True

    def stop(self):
        """SIGTERM; the broker must drain and exit with status 0."""
        if self._process is None:
            return
        self._reap()
        self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(STOP_SECONDS_MAX)
            if status != 0:
                self._complaints.append(f"exit status {status} after SIGTERM")
        except subprocess.TimeoutExpired:
            self._complaints.append(f"did not stop within {STOP_SECONDS_MAX} s of SIGTERM")
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._process = None

    def _reap(self):
        """Notes a death that nobody ordered."""
        if self._process is not None and self._process.poll() is not None and not self._expected:
            self._complaints.append(f"ended by itself with status {self._process.returncode}")

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def log_tail(self, lines=30):
        return "\n".join(self.log().splitlines()[-lines:])

    def complaints(self):
        """Everything that this broker did wrong so far, one text each."""
        self._reap()
        found = list(self._complaints)
        for line in self.log().splitlines():
            if BAD_LOG.search(line):
                found.append(f"logged: {line}")
        return [f"{self.name}: {text}" for text in found]
