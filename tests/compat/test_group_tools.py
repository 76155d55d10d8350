"""Consumer groups through the tools: Kafka's kafka-consumer-groups and kafka-groups, and weir's own, over the same groups."""
import json
import re
import signal
import subprocess
import unittest

from harness.broker import binary
from harness.records import Record
from harness.tools import ToolCase
from harness.wait import Lines, until

GROUPS = "consumer.group.ConsumerGroupCommand"


class GroupTools(ToolCase):
    def weir(self, *words, status=0, stdin=""):
        done = subprocess.run([binary(), *words, "--bootstrap", self.broker.address], input=stdin, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, status, f"{done.stdout}\n{done.stderr}")
        return done.stdout

    def weir_json(self, *words):
        return [json.loads(line) for line in self.weir(*words, "--output", "json").splitlines()]

    def fill(self, partitions=1, count=10):
        topic = self.topic()
        self.weir("topic", "create", topic, "--partitions", str(partitions))
        self.java.produce(self.broker.address, topic,
                          [Record(f"{p}-{i}".encode(), partition=p) for p in range(partitions) for i in range(count)])
        return topic

    def rows(self, group, *args):
        """What `--describe` prints of a group, one dictionary a row."""
        lines = [line.split() for line in self.tool(GROUPS, "--describe", "--group", group, *args).splitlines() if line.strip()]
        head = next((line for line in lines if line[0] == "GROUP"), None)
        self.assertIsNotNone(head, lines)
        return [dict(zip(head, line)) for line in lines[lines.index(head) + 1:]]

    def follow(self, topic, group, *options):
        """A `weir consume --group --follow` that runs until the end of the test or until it is interrupted."""
        process = subprocess.Popen([binary(), "consume", topic, "--group", group, "--follow", "--bootstrap", self.broker.address, *options],
                                   stdout=subprocess.PIPE, text=True)
        lines = Lines(process.stdout)

        def stop():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(30)
            lines.join(10)
            process.stdout.close()
            return process.returncode
        self.addCleanup(stop)
        return lines, stop

    def test_a_console_consumer_commits_and_its_group_is_described(self):
        topic, group = self.fill(), self.topic("-group")
        shown = self.tool("consumer.ConsoleConsumer", "--topic", topic, "--group", group, "--from-beginning", "--max-messages", "7",
                          "--timeout-ms", "30000", "--command-property", "auto.commit.interval.ms=100")
        self.assertEqual(shown.splitlines(), [f"0-{i}" for i in range(7)])
        self.assertIn(group, self.tool(GROUPS, "--list").split())
        self.assertRegex(self.tool(GROUPS, "--list", "--state"), rf"{group}\s+Empty")
        self.assertRegex(self.tool("GroupsCommand", "--list"), rf"{group}\s+Classic\s+consumer")
        row = self.rows(group)[0]
        self.assertEqual((row["TOPIC"], row["CURRENT-OFFSET"], row["LOG-END-OFFSET"], row["LAG"]), (topic, "7", "10", "3"))
        self.assertEqual(self.weir_json("group", "lag", group),
                         [{"group": group, "topic": topic, "partition": 0, "committed": 7, "end": 10, "lag": 3, "member": None}])
        self.assertEqual(self.weir("consume", topic, "--group", group), "".join(f"0-{i}\n" for i in range(7, 10)))
        self.assertEqual(self.weir_json("group", "lag", group)[0]["lag"], 0)

    def test_members_share_the_partitions_and_one_that_leaves_is_replaced(self):
        topic, group = self.fill(partitions=4), self.topic("-group")
        first, stop_first = self.follow(topic, group, "--print", "partition")
        until(lambda: len(first.all()) == 40, 60, "40 records at the first member")
        second, _ = self.follow(topic, group, "--print", "partition")

        def shares():
            group_now = self.weir_json("group", "describe", group)[0]
            return group_now["state"] == "Stable" and sorted(len(m["assignment"]) for m in group_now["members"]) == [2, 2]
        until(shares, 60, "two members with two partitions each")
        members = self.rows(group, "--members", "--verbose")
        self.assertEqual(sorted(row["#PARTITIONS"] for row in members), ["2", "2"])
        self.assertEqual({row["CLIENT-ID"] for row in members}, {"weir-cli"})
        state = self.tool(GROUPS, "--describe", "--group", group, "--state")
        self.assertRegex(state, rf"{group}\s+\S+\s+\(1\)\s+range\s+Stable\s+2\n")
        # The tool refuses, and ends with status 0.
        refused = self.tool(GROUPS, "--reset-offsets", "--group", group, "--topic", topic, "--to-earliest", "--execute")
        self.assertIn("is inactive, but the current state is Stable", refused + self.complaint)
        self.assertEqual(stop_first(), 0)
        self.java.produce(self.broker.address, topic, [Record(b"new", partition=p) for p in range(4)])
        until(lambda: sorted(line for line in second.all() if line.endswith("new")) == [f"{p}\tnew" for p in range(4)], 60,
              "all partitions at the member that is left")

    def test_offsets_are_reset_by_both_tools_and_the_group_is_deleted(self):
        topic, group = self.fill(partitions=2), self.topic("-group")
        self.weir("consume", topic, "--group", group)
        shown = self.tool(GROUPS, "--reset-offsets", "--group", group, "--topic", topic, "--shift-by", "-4", "--execute")
        self.assertEqual(sorted(re.findall(rf"{group}\s+{topic}\s+(\d)\s+(\d+)", shown)), [("0", "6"), ("1", "6")])
        self.assertEqual([row["lag"] for row in self.weir_json("group", "lag", group)], [4, 4])
        self.weir("group", "reset", group, "--to", "beginning", "--topic", topic, "--partition", "1")
        self.assertEqual(sorted((row["PARTITION"], row["CURRENT-OFFSET"]) for row in self.rows(group)), [("0", "6"), ("1", "0")])
        shown = self.tool(GROUPS, "--delete-offsets", "--group", group, "--topic", topic)
        self.assertIn("Successful", shown)
        self.weir("group", "reset", group, "--to", "end", "--topic", topic)
        self.assertIn("Deletion of requested consumer groups", self.tool(GROUPS, "--delete", "--group", group))
        self.assertNotIn(group, [row["group"] for row in self.weir_json("group", "list")])
        self.assertIn("GroupIdNotFoundException", self.tool(GROUPS, "--describe", "--group", group) + self.complaint)


if __name__ == "__main__":
    unittest.main()
