"""Groups of the classic protocol: real consumers share topics, hand over, come back, and the tools show it."""
import json
import os
import re
import subprocess
import time
import unittest

from harness import agents, installs
from harness.case import BrokerCase, SharedBrokerCase
from harness.records import Record
from harness.wait import Lines, until

TOOLS = "org.apache.kafka.tools."
QUICK = ["--set", "group.initial.rebalance.delay.ms=200"]
WAIT_SECONDS_MAX = 60


def confluent_member(bootstrap, topic, group, config):
    config = {"group.id": group, "session.timeout.ms": 6000, "heartbeat.interval.ms": 500, **config}
    return [installs.python(), "-u", str(installs.HERE / "agents/group_member.py"), bootstrap, topic, json.dumps(config)]


def kafkajs_member(bootstrap, topic, group, config):
    assert not config
    return ["node", str(installs.HERE / "agents/group_member.js"), bootstrap, topic, group]


class Member:
    """A consumer in a process of its own; confluent-kafka, unless another `program` is given."""

    def __init__(self, bootstrap, topic, group, work, program=confluent_member, **config):
        environment = dict(os.environ)
        if program is kafkajs_member:
            environment["NODE_PATH"] = str(installs.node_modules())
        with open(work / "members.log", "ab") as log:
            self._process = subprocess.Popen(program(bootstrap, topic, group, config), stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        self._lines = Lines(self._process.stdout)
        self.seen = 0

    def events(self):
        return [json.loads(line) for line in self._lines.all()]

    def wait(self, condition, what):
        try:
            until(lambda: condition(self.events()), WAIT_SECONDS_MAX, what)
        except AssertionError as error:
            raise AssertionError(f"{error}; the last events: {self.events()[-10:]}") from None

    def owned(self):
        """What it has now (eager assignment: each one replaces the last)."""
        owned = []
        for event in self.events():
            if event["event"] == "assigned":
                owned = event["partitions"]
            elif event["event"] in ("revoked", "lost"):
                owned = []
        return owned

    def read(self):
        return [event["value"] for event in self.events() if event["event"] == "read"]

    def rebalances(self):
        return sum(event["event"] == "assigned" for event in self.events())

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._close()

    def leave(self):
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(WAIT_SECONDS_MAX)
            self._close()

    def _close(self):
        self._lines.join(WAIT_SECONDS_MAX)
        self._process.stdout.close()
        if not self._process.stdin.closed:
            self._process.stdin.close()


class GroupTools:
    """Calls that both classes below make. They have `java`, `fleet` and a broker."""

    def tool(self, broker, name, *args, status=0):
        done = self.java.call("tool", main=TOOLS + name, args=["--bootstrap-server", broker.address, *args], stdin="")
        self.assertEqual(done["status"], status, f"{done['out']}\n{done['err']}")
        return done["out"] + done["err"]

    def groups(self, *args, status=0):
        return self.tool(self.broker, "consumer.group.ConsumerGroupCommand", *args, status=status)

    def create(self, partitions=1):
        topic = self._testMethodName
        self.java.call("create_topic", bootstrap=self.broker.address, topic=topic, partitions=partitions)
        return topic

    def produce(self, topic, count, partitions=1, prefix="v"):
        self.java.produce(self.broker.address, topic,
                          [Record(f"{prefix}{i}".encode(), partition=i % partitions) for i in range(count)])
        return [f"{prefix}{i}" for i in range(count)]

    def member(self, topic, broker=None, **config):
        member = Member((broker or self.broker).address, topic, self._testMethodName, self.fleet.work, **config)
        self.addCleanup(member.kill)
        return member

    def await_split(self, members, partitions):
        """Until the members have all partitions between them, each one once, and each member some."""
        def split():
            owned = [member.owned() for member in members]
            return all(owned) and sorted(sum(owned, [])) == list(range(partitions))
        try:
            until(split, WAIT_SECONDS_MAX, "all partitions owned once")
        except AssertionError as error:
            raise AssertionError(f"{error}: {[member.events()[-5:] for member in members]}") from None


class Groups(GroupTools, SharedBrokerCase):
    needs = (installs.java, installs.python, installs.kcat, installs.node_modules)
    options = QUICK

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.java = agents.java(cls.fleet.work)
        cls.addClassCleanup(cls.java.close)

    def lag(self, group):
        """Partition to (current offset, end offset, lag) as the tool shows them."""
        shown = self.groups("--describe", "--group", group)
        rows = re.findall(rf"^{group}\s+\S+\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+)", shown, re.MULTILINE)
        return {int(p): (current, end, lag) for p, current, end, lag in rows}

    def test_kcat_reads_in_a_group_and_goes_on_where_it_was(self):
        topic = self.create()
        first = self.produce(topic, 10)
        command = [installs.kcat(), "-b", self.broker.address, "-G", self._testMethodName, "-X", "auto.offset.reset=earliest",
                   "-c", "10", "-u", topic]
        out = subprocess.run(command, capture_output=True, timeout=WAIT_SECONDS_MAX, text=True)
        self.assertEqual(out.stdout.split(), first, out.stderr)
        second = self.produce(topic, 10, prefix="w")
        out = subprocess.run(command, capture_output=True, timeout=WAIT_SECONDS_MAX, text=True)
        self.assertEqual(out.stdout.split(), second, out.stderr)

    def test_the_console_consumer_goes_on_where_its_group_was(self):
        topic = self.create()
        lines = self.produce(topic, 20)
        def consume(count):
            return self.tool(self.broker, "consumer.ConsoleConsumer", "--topic", topic, "--group", topic, "--from-beginning",
                             "--max-messages", str(count), "--timeout-ms", "30000").splitlines()
        self.assertEqual([line for line in consume(8) if line.startswith("v")], lines[:8])
        self.assertEqual([line for line in consume(12) if line.startswith("v")], lines[8:])
        self.assertEqual(self.lag(topic), {0: ("20", "20", "0")})

    def test_kafkajs_members_share_a_topic_and_take_over(self):
        topic = self.create(4)
        one, two = (self.member(topic, program=kafkajs_member) for _ in range(2))
        self.await_split([one, two], 4)
        written = self.produce(topic, 20, 4)
        until(lambda: sorted(one.read() + two.read()) == sorted(written), WAIT_SECONDS_MAX, "everything read once")
        two.leave()
        self.await_split([one], 4)
        written += self.produce(topic, 4, 4, prefix="w")
        until(lambda: set(one.read()) >= {f"w{i}" for i in range(4)}, WAIT_SECONDS_MAX, "the rest read by the other")
        # A member says that it has read before it commits.
        until(lambda: self.lag(topic)[0][2] == "0", WAIT_SECONDS_MAX, "the last commit")

    def test_members_share_a_topic_and_take_over_from_one_that_leaves(self):
        topic = self.create(6)
        one, two, three = (self.member(topic) for _ in range(3))
        self.await_split([one, two, three], 6)
        written = self.produce(topic, 60, 6)
        for member in (one, two, three):
            member.wait(lambda events: sum(e["event"] == "read" for e in events) == 20, "a third of the records")
        self.assertEqual(sorted(one.read() + two.read() + three.read()), sorted(written))
        two.leave()
        self.await_split([one, three], 6)

    def test_members_take_over_from_one_that_dies(self):
        topic = self.create(4)
        one, two = self.member(topic), self.member(topic)
        self.await_split([one, two], 4)
        two.kill()
        died = time.monotonic()
        self.await_split([one], 4)
        self.assertLess(time.monotonic() - died, 30)
        written = self.produce(topic, 8, 4)
        one.wait(lambda events: sum(e["event"] == "read" for e in events) >= 8, "all records at the survivor")
        self.assertEqual(sorted(one.read()), sorted(written))

    def test_a_static_member_comes_back_without_a_rebalance(self):
        topic = self.create(4)
        one = self.member(topic, **{"group.instance.id": "one", "session.timeout.ms": 30000})
        two = self.member(topic, **{"group.instance.id": "two", "session.timeout.ms": 30000})
        self.await_split([one, two], 4)
        had, rebalances = two.owned(), one.rebalances()
        two.leave()
        again = self.member(topic, **{"group.instance.id": "two", "session.timeout.ms": 30000})
        again.wait(lambda events: again.owned() == had, "the same partitions")
        self.assertEqual(one.rebalances(), rebalances)
        fenced = self.member(topic, **{"group.instance.id": "two", "session.timeout.ms": 30000})
        fenced.wait(lambda events: fenced.owned() == had, "the same partitions again")
        again.wait(lambda events: any("fenced" in e.get("text", "").lower() for e in events), "being fenced")

    def test_cooperative_members_keep_what_they_have(self):
        topic = self.create(4)
        sticky = {"partition.assignment.strategy": "cooperative-sticky"}
        one = self.member(topic, **sticky)
        one.wait(lambda events: any(e["event"] == "assigned" and len(e["partitions"]) == 4 for e in events), "all four")
        two = self.member(topic, **sticky)
        two.wait(lambda events: any(e["event"] == "assigned" and len(e["partitions"]) == 2 for e in events), "two of four")
        revoked = [e["partitions"] for e in one.events() if e["event"] == "revoked"]
        self.assertEqual([len(partitions) for partitions in revoked], [2])

    def test_the_group_tool_lists_describes_resets_and_deletes(self):
        topic = self.create(2)
        group = topic
        self.produce(topic, 20, 2)
        member = self.member(topic)
        member.wait(lambda events: sum(e["event"] == "read" for e in events) == 20, "all records")
        self.assertIn(group, self.groups("--list").split())
        self.assertRegex(self.groups("--list", "--state"), rf"{group}\s+Stable")
        until(lambda: self.lag(group) == {0: ("10", "10", "0"), 1: ("10", "10", "0")}, WAIT_SECONDS_MAX,
              "the last commit, and no lag")
        self.assertRegex(self.groups("--describe", "--group", group, "--state"), rf"{group}\s.*\brange\b\s+Stable\s+1")
        shown = self.groups("--describe", "--group", group, "--members", "--verbose")
        self.assertRegex(shown, rf"{group}\s+rdkafka-\S+\s+/127.0.0.1\s+rdkafka\s+2")
        self.assertIn("The group is not empty", self.groups("--delete", "--group", group))
        self.assertIn("current state is Stable", self.groups(
            "--reset-offsets", "--group", group, "--topic", topic, "--to-earliest", "--execute"))
        member.leave()
        self.assertRegex(self.groups("--list", "--state", "Empty"), rf"{group}\s+Empty")
        self.groups("--reset-offsets", "--group", group, "--topic", f"{topic}:0", "--to-offset", "4", "--execute")
        self.assertEqual(self.lag(group), {0: ("4", "10", "6"), 1: ("10", "10", "0")})
        self.groups("--delete-offsets", "--group", group, "--topic", f"{topic}:1")
        self.assertEqual(self.lag(group)[0], ("4", "10", "6"))
        self.assertNotEqual(self.lag(group).get(1, ("-",))[0], "10")
        self.groups("--delete", "--group", group)
        self.assertNotIn(group, self.groups("--list").split())

    def test_offsets_go_with_their_topic(self):
        topic = self.create()
        self.produce(topic, 5)
        member = self.member(topic)
        member.wait(lambda events: sum(e["event"] == "read" for e in events) == 5, "all records")
        member.leave()
        self.tool(self.broker, "TopicCommand", "--delete", "--topic", topic)
        self.java.call("create_topic", bootstrap=self.broker.address, topic=topic, partitions=1)
        self.produce(topic, 3, prefix="new")
        again = self.member(topic)
        again.wait(lambda events: again.read() == ["new0", "new1", "new2"], "the records of the new topic")


class GroupsOnTwoBrokers(GroupTools, BrokerCase):
    needs = (installs.java, installs.python)

    def setUp(self):
        super().setUp()
        self.broker = self.fleet.broker(options=QUICK)
        self.other = self.fleet.broker(options=QUICK)
        self.java = agents.java(self.fleet.work)
        self.addCleanup(self.java.close)

    def test_a_group_outlives_any_broker(self):
        topic = self.create(6)
        both = f"{self.broker.address},{self.other.address}"
        members = [Member(both, topic, topic, self.fleet.work) for _ in range(3)]
        for member in members:
            self.addCleanup(member.kill)
        self.await_split(members, 6)
        written = self.produce(topic, 30, 6)
        self.other.expect_kill()
        self.other.kill()
        written += self.produce(topic, 30, 6, prefix="w")
        def read():
            return {value for member in members for value in member.read()}
        until(lambda: read() == set(written), WAIT_SECONDS_MAX, "everything read by somebody")
        self.await_split(members, 6)

    def test_the_tools_show_each_group_once(self):
        topic = self.create(1)
        self.produce(topic, 3)
        groups = [f"{topic}-{i}" for i in range(6)]
        for group in groups:
            member = Member(self.broker.address, topic, group, self.fleet.work)
            self.addCleanup(member.kill)
            member.wait(lambda events, m=member: len(m.read()) == 3, "all records")
            member.leave()
        for broker in (self.broker, self.other):
            listed = self.tool(broker, "consumer.group.ConsumerGroupCommand", "--list").split()
            self.assertEqual(sorted(g for g in listed if g.startswith(topic)), groups)


if __name__ == "__main__":
    unittest.main()
