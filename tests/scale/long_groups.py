"""A thousand consumers that join one group at once, on the release program. Prints its figures beside their limits."""
import os
import pathlib
import resource
import selectors
import struct
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools/bench")]

import rawwire  # noqa: E402
import servers  # noqa: E402
from harness import case  # noqa: E402

TIME_SLACK = float(os.environ.get("WEIR_SCALE_SLACK", "3"))
MEMBERS = 1_000
GROUP = "crowd"
JOIN_GROUP, SYNC_GROUP = (11, 4), (14, 2)
MEMBER_ID_REQUIRED = 79
WAIT_SECONDS_MAX = 120


def blob(data):
    return struct.pack(">i", len(data)) + data


class Member:
    """One consumer of the classic protocol on a connection of its own; a step machine that is fed with answers."""

    def __init__(self, address, number):
        self.connection = rawwire.Connection(address, 4096)
        self.number = number
        self.id = ""
        self.assignment = None
        self.generation = None
        self.leads = False

    def send(self, api, body):
        self.connection.socket.settimeout(WAIT_SECONDS_MAX)
        self.connection.send(rawwire.request(*api, body))

    def join(self):
        self.send(JOIN_GROUP, rawwire.text(GROUP) + struct.pack(">ii", 45_000, 60_000) + rawwire.text(self.id)
                  + rawwire.text("consumer") + struct.pack(">i", 1) + rawwire.text("range") + blob(b"of %d" % self.number))

    def sync(self, assignments):
        rows = b"".join(rawwire.text(member) + blob(data) for member, data in assignments.items())
        self.send(SYNC_GROUP, rawwire.text(GROUP) + struct.pack(">i", self.generation) + rawwire.text(self.id)
                  + struct.pack(">i", len(assignments)) + rows)

    def on_answer(self):
        """Reads one answer and does what follows. True once it has its assignment."""
        answer = bytes(self.connection.receive())
        at = 8
        (error,) = struct.unpack_from(">h", answer, at)
        if self.generation is None:
            self.on_joined(answer, error)
            return False
        if error:
            raise AssertionError(f"SyncGroup of member {self.number}: error {error}")
        (size,) = struct.unpack_from(">i", answer, 10)
        self.assignment = answer[14:14 + size]
        return True

    def on_joined(self, answer, error):
        def string(at):
            (size,) = struct.unpack_from(">h", answer, at)
            return answer[at + 2:at + 2 + size].decode(), at + 2 + size
        (generation,) = struct.unpack_from(">i", answer, 10)
        _, at = string(14)
        leader, at = string(at)
        self.id, at = string(at)
        if error == MEMBER_ID_REQUIRED:
            return self.join()
        if error:
            raise AssertionError(f"JoinGroup of member {self.number}: error {error}")
        self.generation = generation
        self.leads = leader == self.id
        (count,) = struct.unpack_from(">i", answer, at)
        at += 4
        members = []
        for _ in range(count):
            name, at = string(at)
            (size,) = struct.unpack_from(">i", answer, at)
            at += 4 + size
            members.append(name)
        self.sync({member: member.encode() for member in members})


class Groups(unittest.TestCase):
    def setUp(self):
        servers.Weir.binary = os.environ.get("WEIR_BIN") or str(ROOT / "build/release/weir")
        servers.check_release(servers.Weir.binary)
        self.work = case.new_work_directory(self._testMethodName)
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.work)])
        # Here and in the broker, which inherits it.
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8 * MEMBERS)), hard))

    def test_a_thousand_consumers_join_one_group(self):
        with servers.Weir(self.work / "broker") as broker:
            members = [Member(broker.bootstrap, number) for number in range(MEMBERS)]
            selector = selectors.DefaultSelector()
            begun = time.perf_counter()
            for member in members:
                selector.register(member.connection.socket, selectors.EVENT_READ, member)
                member.join()
            left = MEMBERS
            while left and time.perf_counter() - begun < WAIT_SECONDS_MAX:
                for key, _ in selector.select(1):
                    left -= key.data.on_answer()
            took = time.perf_counter() - begun
            self.assertEqual(left, 0, "members without an assignment")
            print(f"\n  {MEMBERS} members have their assignments: {took:.1f} s (limit 10 s)", end=" ", flush=True)
            self.assertEqual({member.generation for member in members}, {1})
            self.assertEqual(sum(member.leads for member in members), 1)
            for member in members:
                self.assertEqual(member.assignment.decode(), member.id)
                member.connection.close()
            self.assertLess(took, 10 * TIME_SLACK)


if __name__ == "__main__":
    unittest.main()
