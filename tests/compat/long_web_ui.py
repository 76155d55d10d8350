"""A web UI for Kafka (kafka-viewer, on kafka-python) against a broker: its pages list the topics and show what is in them."""
import json
import pathlib
import subprocess
import unittest

from harness import agents, installs
from harness.records import Record
from harness.tools import ToolCase

PAGES_SECONDS_MAX = 300


class WebUi(ToolCase):
    def test_topics_and_their_messages_are_shown(self):
        interpreter = installs.web_ui()
        orders, payments = self.topic("-orders"), self.topic("-payments")
        for name, partitions in ((orders, 2), (payments, 1)):
            self.java.call("create_topic", bootstrap=self.broker.address, topic=name, partitions=partitions)
        self.java.produce(self.broker.address, orders, [Record(f"{p}-{i}".encode(), partition=p) for p in range(2) for i in range(3)])
        properties = self.fleet.work / "viewer.properties"
        properties.write_text(f"kafka.bootstrap.servers={self.broker.address}\n")
        script = pathlib.Path(agents.__file__).parent / "agents/web_ui.py"
        done = subprocess.run([interpreter, str(script), str(properties), orders], capture_output=True, text=True, timeout=PAGES_SECONDS_MAX)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        shown = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(shown["troubles"], [])
        self.assertLessEqual({orders, payments}, set(shown["topics"]))
        self.assertEqual(sorted(shown["values"]), sorted(f"{p}-{i}" for p in range(2) for i in range(3)))
        self.assertEqual(sorted(shown["places"]), [[p, i] for p in range(2) for i in range(3)])
        self.assertEqual((shown["figures"]["Total Records"], shown["figures"]["Partitions"]), ("6", "2"))


if __name__ == "__main__":
    unittest.main()
