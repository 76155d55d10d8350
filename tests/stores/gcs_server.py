"""fake-gcs-server, an emulator of Google Cloud Storage, brought into build/tests/servers from the Go proxy."""
import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request

from harness import installs
from harness.broker import ROOT, free_port
from harness.wait import until

VERSION = "v1.56.1"
DIRECTORY = ROOT / "build/tests/servers/fake-gcs-server"
START_SECONDS_MAX = 20


def install():
    """Path of the program. Raises SkipTest where there is no Go or the proxy does not answer."""
    program = DIRECTORY / "fake-gcs-server"
    package = f"github.com/fsouza/fake-gcs-server@{VERSION}"
    go = installs.need_go()
    installs._install(DIRECTORY, package, [["env", f"GOBIN={DIRECTORY}", go, "install", "-ldflags=-s -w", package]])
    return program


class GcsServer:
    """One server on a free port with an empty bucket, its data in memory."""

    def __init__(self, bucket="weir-test"):
        self.bucket = bucket
        port = free_port()
        self.host = f"127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [install(), "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory",
             "-public-host", self.host], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self._make_bucket(), START_SECONDS_MAX, "fake-gcs-server to answer")

    @property
    def url(self):
        return f"gs://{self.bucket}?endpoint=http://{self.host}"

    def _make_bucket(self):
        if self._process.poll() is not None:
            raise unittest.SkipTest(f"fake-gcs-server ended with status {self._process.returncode}")
        request = urllib.request.Request(f"http://{self.host}/storage/v1/b?project=weir",
                                         data=json.dumps({"name": self.bucket}).encode(),
                                         headers={"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=5):
                return True
        except urllib.error.HTTPError:
            raise
        except OSError:
            return False

    def names(self):
        """Of all objects, for tests that look behind the broker's back."""
        names, page = [], ""
        while True:
            url = f"http://{self.host}/storage/v1/b/{self.bucket}/o?pageToken={page}"
            with urllib.request.urlopen(url, timeout=10) as answer:
                body = json.load(answer)
            names += [item["name"] for item in body.get("items", [])]
            page = body.get("nextPageToken", "")
            if not page:
                return names

    def stop(self):
        self._process.kill()
        self._process.wait()


def environment(server):
    """For a broker that talks to this server."""
    return {**os.environ, "STORAGE_EMULATOR_HOST": server.host}
