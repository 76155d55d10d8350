"""S3 servers for tests, as processes of their own on free ports of this machine.

versitygw is the main one: it verifies signatures and checksums, and its conditional writes are atomic. gofakes3 is of
another make; it verifies neither, but is right about conditional PUTs. Both are built by `go install` on first use.
"""
import os
import shutil
import socket
import subprocess
import tempfile
import time

from harness import installs
from harness.broker import ROOT, free_port

BUCKET = "weir"
KEY, SECRET = "test", "testsecret"
START_SECONDS_MAX = 20
START_ATTEMPTS = 3


class Server:
    """Subclasses give the program, its arguments, and make the bucket."""

    environment = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}

    def __init__(self):
        parent = ROOT / "build/tests"
        parent.mkdir(parents=True, exist_ok=True)
        self.work = tempfile.mkdtemp(prefix=f"{type(self).__name__.lower()}-", dir=parent)
        self.port = 0
        self._process = None

    @property
    def pid(self):
        return self._process.pid

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def url(self, prefix="", bucket=BUCKET):
        return f"s3://{bucket}{'/' if prefix else ''}{prefix}?endpoint={self.endpoint}"

    def start(self):
        """At the same port as before, if it ran before."""
        program = self.program()
        again = self.port
        for _ in range(START_ATTEMPTS):  # Somebody else may take the port first.
            self.port = again or free_port()
            with open(f"{self.work}/server.log", "ab") as log:
                self._process = subprocess.Popen([program, *self.arguments()], stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=log, env={**os.environ, **self.server_environment})
            if self._answers():
                return self
            self.stop_process()
        raise AssertionError(f"{type(self).__name__} does not start; see {self.work}/server.log")

    def _answers(self):
        end = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return True
            time.sleep(0.02)
        return False

    def stop_process(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self):
        self.stop_process()
        shutil.rmtree(self.work, ignore_errors=True)


class Versitygw(Server):
    server_environment = {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}

    def program(self):
        return installs.go_program("versitygw", "github.com/versity/versitygw/cmd/versitygw@v1.8.0")

    def arguments(self):
        os.makedirs(f"{self.work}/data/{BUCKET}", exist_ok=True)
        return ["--port", f"127.0.0.1:{self.port}", "--quiet", "posix", f"{self.work}/data"]


class Gofakes3(Server):
    server_environment = {}

    def program(self):
        return installs.go_program("gofakes3", "github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0")

    def arguments(self):
        return ["-backend", "memory", "-host", f"127.0.0.1:{self.port}", "-quiet", "-initialbucket", BUCKET]
