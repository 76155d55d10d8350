"""Kafka Connect with its file connectors: a file goes through a topic into another file, standalone and distributed."""
import json
import pathlib
import shutil
import subprocess
import unittest
import urllib.error
import urllib.request

from harness import installs
from harness.broker import free_port
from harness.case import BrokerCase
from harness.wait import until

START_SECONDS_MAX = 120
FLOW_SECONDS_MAX = 60
COMMON = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": "org.apache.kafka.connect.storage.StringConverter",
    "offset.flush.interval.ms": "500",
}


def source(path, topic):
    return {"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector", "tasks.max": "1", "file": str(path),
            "topic": topic}


def sink(path, topic):
    return {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "tasks.max": "1", "file": str(path),
            "topics": topic}


class Connect(BrokerCase):
    def setUp(self):
        super().setUp()
        self.class_path = installs.kafka_connect()
        self.broker = self.fleet.broker()
        # Connect looks into every file there, so only the connectors are.
        self.plugins = self.fleet.work / "plugins"
        self.plugins.mkdir()
        for jar in pathlib.Path(self.class_path).parent.glob("connect-file-*.jar"):
            shutil.copy(jar, self.plugins)
        self.input = self.fleet.work / "in.txt"
        self.output = self.fleet.work / "out.txt"
        self.input.touch()
        self.workers = 0

    def properties(self, name, values):
        path = self.fleet.work / f"{name}.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in values.items()))
        return str(path)

    def start(self, main, settings, *connectors):
        """A worker; its REST address, and a function that stops it in order."""
        self.workers += 1
        port = free_port()
        worker = self.properties(f"worker{self.workers}", {
            **COMMON, "bootstrap.servers": self.broker.address, "listeners": f"HTTP://127.0.0.1:{port}",
            "plugin.path": self.plugins, "plugin.discovery": "service_load", **settings})
        with open(self.fleet.work / f"connect{self.workers}.log", "ab") as log:
            process = subprocess.Popen(["java", "-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", self.class_path,
                                        f"org.apache.kafka.connect.cli.{main}", worker, *connectors], stdout=log, stderr=log)

        def stop():
            if process.poll() is None:
                process.terminate()
                process.wait(60)
        self.addCleanup(stop)
        return f"http://127.0.0.1:{port}", stop

    def rest(self, address, path, body=None):
        """The answer as JSON; nothing while the worker cannot answer."""
        request = urllib.request.Request(address + path, json.dumps(body).encode() if body else None,
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return None

    def write(self, lines):
        with open(self.input, "a") as file:
            file.write("".join(line + "\n" for line in lines))

    def arrived(self, lines):
        """Waits until the sink has written `lines`, and nothing else."""
        read = lambda: self.output.read_text().splitlines() if self.output.exists() else []
        until(lambda: len(read()) >= len(lines), FLOW_SECONDS_MAX, f"{len(lines)} lines at the sink")
        self.assertEqual(read(), lines)

    def running(self, address, names):
        def all_run():
            states = [self.rest(address, f"/connectors/{name}/status") for name in names]
            return all(state and state["tasks"] and all(task["state"] == "RUNNING" for task in state["tasks"]) for state in states)
        until(all_run, START_SECONDS_MAX, "running connectors")

    def test_standalone_goes_on_where_it_was(self):
        settings = {"offset.storage.file.filename": self.fleet.work / "offsets"}
        connectors = [self.properties(name, {"name": name, **values}) for name, values in
                      (("from-file", source(self.input, "lines")), ("to-file", sink(self.output, "lines")))]
        first = [f"line {i}" for i in range(100)]
        self.write(first)
        address, stop = self.start("ConnectStandalone", settings, *connectors)
        self.running(address, ["from-file", "to-file"])
        self.arrived(first)
        stop()
        more = ["after the restart"]
        self.write(more)
        self.start("ConnectStandalone", settings, *connectors)
        self.arrived(first + more)

    def test_distributed_workers_share_the_work_and_outlive_each_other(self):
        settings = {"group.id": "connect", "config.storage.topic": "connect-configs", "offset.storage.topic": "connect-offsets",
                    "status.storage.topic": "connect-status", "scheduled.rebalance.max.delay.ms": "1000"}
        address, stop = self.start("ConnectDistributed", settings)
        until(lambda: self.rest(address, "/connectors") is not None, START_SECONDS_MAX, "the REST interface")
        for name, values in (("from-file", source(self.input, "lines")), ("to-file", sink(self.output, "lines"))):
            until(lambda: self.rest(address, "/connectors", {"name": name, "config": values}), START_SECONDS_MAX, f"connector {name}")
        self.running(address, ["from-file", "to-file"])
        first = [f"line {i}" for i in range(100)]
        self.write(first)
        self.arrived(first)
        other, _ = self.start("ConnectDistributed", settings)
        until(lambda: (self.rest(other, "/connectors") or []) != [], START_SECONDS_MAX, "the second worker")
        stop()
        self.running(other, ["from-file", "to-file"])
        self.write(["from the worker that is left"])
        self.arrived(first + ["from the worker that is left"])


if __name__ == "__main__":
    unittest.main()
