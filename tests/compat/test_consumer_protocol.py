"""Groups of the consumer protocol (KIP-848): real consumers with group.protocol=consumer share topics, hand over, change their
group between the protocols while it works, and Kafka's tools show it."""
import json
import re
import subprocess
import time
import unittest

from harness import agents, installs
from harness.case import SharedBrokerCase
from harness.records import Record
from harness.wait import Lines, until

TOOLS = "org.apache.kafka.tools."
QUICK = ["--set", "group.initial.rebalance.delay.ms=200", "--set", "group.consumer.min.heartbeat.interval.ms=200",
         "--set", "group.consumer.heartbeat.interval.ms=500", "--set", "group.consumer.min.session.timeout.ms=2000",
         "--set", "group.consumer.session.timeout.ms=6000", "--set", "group.consumer.assignment.interval.ms=100"]
WAIT_SECONDS_MAX = 60
NEW = {"group.protocol": "consumer"}
OLD = {"session.timeout.ms": 6000, "heartbeat.interval.ms": 500, "partition.assignment.strategy": "cooperative-sticky"}


class Member:
    """A confluent-kafka consumer in a process of its own; partitions come and go one by one."""

    def __init__(self, bootstrap, topic, group, work, config):
        command = [installs.python(), "-u", str(installs.HERE / "agents/group_member.py"), bootstrap, topic,
                   json.dumps({"group.id": group, **config})]
        with open(work / "consumer-members.log", "ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self._lines = Lines(self._process.stdout)

    def events(self):
        return [json.loads(line) for line in self._lines.all()]

    def owned(self):
        owned = set()
        for event in self.events():
            if event["event"] == "assigned":
                owned |= set(event["partitions"])
            elif event["event"] in ("revoked", "lost"):
                owned -= set(event["partitions"])
        return sorted(owned)

    def read(self):
        return [event["value"] for event in self.events() if event["event"] == "read"]

    def revoked(self):
        return sum((event["partitions"] for event in self.events() if event["event"] in ("revoked", "lost")), [])

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process.stdin.close()

    def leave(self):
        self._process.stdin.close()
        self._process.wait(WAIT_SECONDS_MAX)


class ConsumerProtocol(SharedBrokerCase):
    needs = (installs.java, installs.python)
    options = QUICK

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.java = agents.java(cls.fleet.work)
        cls.addClassCleanup(cls.java.close)

    def tool(self, name, *args, status=0):
        done = self.java.call("tool", main=TOOLS + name, args=["--bootstrap-server", self.broker.address, *args], stdin="")
        self.assertEqual(done["status"], status, f"{done['out']}\n{done['err']}")
        return done["out"] + done["err"]

    def groups(self, *args, status=0):
        return self.tool("consumer.group.ConsumerGroupCommand", *args, status=status)

    def create(self, partitions=1, name=None):
        topic = name or self._testMethodName
        self.java.call("create_topic", bootstrap=self.broker.address, topic=topic, partitions=partitions)
        return topic

    def produce(self, topic, count, partitions=1, prefix="v"):
        self.java.produce(self.broker.address, topic,
                          [Record(f"{prefix}{i}".encode(), partition=i % partitions) for i in range(count)])
        return [f"{prefix}{i}" for i in range(count)]

    def member(self, topic, group=None, **config):
        member = Member(self.broker.address, topic, group or self._testMethodName, self.fleet.work, config)
        self.addCleanup(member.kill)
        return member

    def await_split(self, members, partitions):
        def split():
            owned = [member.owned() for member in members]
            return all(owned) and sorted(sum(owned, [])) == list(range(partitions))
        try:
            until(split, WAIT_SECONDS_MAX, "all partitions owned once")
        except AssertionError as error:
            raise AssertionError(f"{error}: {[member.events()[-5:] for member in members]}") from None

    def console(self, topic, count):
        shown = self.tool("consumer.ConsoleConsumer", "--topic", topic, "--group", topic, "--from-beginning", "--max-messages",
                          str(count), "--timeout-ms", "30000", "--command-property", "group.protocol=consumer")
        return [line for line in shown.splitlines() if line.startswith("v")]

    def test_the_console_consumer_goes_on_where_its_group_was(self):
        topic = self.create()
        lines = self.produce(topic, 20)
        self.assertEqual(self.console(topic, 8), lines[:8])
        self.assertEqual(self.console(topic, 12), lines[8:])
        shown = self.groups("--describe", "--group", topic)
        self.assertRegex(shown, rf"{topic}\s+{topic}\s+0\s+20\s+20\s+0")
        self.assertRegex(self.groups("--list", "--type"), rf"{topic}\s+Consumer")

    def test_members_share_hand_over_and_take_over(self):
        topic = self.create(6)
        one, two, three = (self.member(topic, **NEW) for _ in range(3))
        self.await_split([one, two, three], 6)
        written = self.produce(topic, 60, 6)
        until(lambda: len(one.read()) + len(two.read()) + len(three.read()) >= 60, WAIT_SECONDS_MAX, "all records")
        self.assertEqual(sorted(one.read() + two.read() + three.read()), sorted(written))
        two.leave()
        self.await_split([one, three], 6)
        three.kill()
        died = time.monotonic()
        self.await_split([one], 6)
        self.assertLess(time.monotonic() - died, 30)

    def test_a_join_moves_only_what_must_move(self):
        topic = self.create(8)
        one, two = (self.member(topic, **NEW) for _ in range(2))
        self.await_split([one, two], 8)
        before = len(one.revoked()) + len(two.revoked())
        three = self.member(topic, **NEW)
        self.await_split([one, two, three], 8)
        self.assertLessEqual(len(one.revoked()) + len(two.revoked()) - before, 3)

    def test_a_static_member_comes_back_to_its_partitions(self):
        topic = self.create(4)
        one = self.member(topic, **NEW, **{"group.instance.id": "one"})
        two = self.member(topic, **NEW, **{"group.instance.id": "two"})
        self.await_split([one, two], 4)
        had, kept = two.owned(), one.owned()
        two.leave()
        again = self.member(topic, **NEW, **{"group.instance.id": "two"})
        until(lambda: again.owned() == had, WAIT_SECONDS_MAX, "the same partitions")
        self.assertEqual(one.owned(), kept)

    def test_an_expression_follows_new_topics(self):
        first = self.create(name="regex-one")
        member = self.member("^regex-.*", **NEW)
        written = self.produce(first, 3)
        until(lambda: member.read() == written, WAIT_SECONDS_MAX, "the first topic")
        second = self.create(name="regex-two")
        more = self.produce(second, 3, prefix="w")
        until(lambda: sorted(member.read()) == sorted(written + more), WAIT_SECONDS_MAX, "the second topic")

    def test_a_group_changes_its_protocol_while_it_works(self):
        topic = self.create(4)
        one, two = self.member(topic, **OLD), self.member(topic, **OLD)
        self.await_split([one, two], 4)
        self.assertRegex(self.groups("--list", "--type"), rf"{topic}\s+Classic")
        fresh = self.member(topic, **NEW)
        self.await_split([one, two, fresh], 4)
        self.assertRegex(self.groups("--list", "--type"), rf"{topic}\s+Consumer")
        one.leave()
        self.await_split([two, fresh], 4)
        written = self.produce(topic, 40, 4)
        until(lambda: len(two.read()) + len(fresh.read()) >= 40, WAIT_SECONDS_MAX, "all records")
        self.assertEqual(sorted(set(two.read() + fresh.read())), sorted(written))
        fresh.leave()
        self.await_split([two], 4)
        until(lambda: re.search(rf"{topic}\s+Classic", self.groups("--list", "--type")), WAIT_SECONDS_MAX, "a classic group")

    def test_the_group_tool_describes_and_configures_it(self):
        topic = self.create(2)
        self.produce(topic, 20, 2)
        member = self.member(topic, **NEW)
        until(lambda: len(member.read()) == 20, WAIT_SECONDS_MAX, "all records")
        # A member says that it has read before it commits.
        until(lambda: re.search(rf"{topic}\s+{topic}\s+0\s+10\s+10\s+0", self.groups("--describe", "--group", topic)),
              WAIT_SECONDS_MAX, "the last commit")
        self.assertRegex(self.groups("--describe", "--group", topic, "--state"), rf"{topic}\s.*\buniform\b\s+Stable\s+1")
        shown = self.groups("--describe", "--group", topic, "--members", "--verbose")
        self.assertRegex(shown, rf"{topic}\s+\S+\s+/127.0.0.1\s+rdkafka\s+2")
        self.assertIn("GroupNotEmptyException", self.groups("--delete", "--group", topic))
        member.leave()
        self.assertIn("successful", self.groups("--delete", "--group", topic))


if __name__ == "__main__":
    unittest.main()
