"""The raw client of committed offsets, a program of its own: pre-encoded OffsetCommit requests, each connection for a group of its own.

Prints one JSON line. One thread serves all connections. A right answer is the same bytes each time, so checking it is a
comparison; any other one ends the run.
"""
import argparse
import json
import selectors
import struct
import sys
import time

import rawwire

SETTLE_SECONDS_MAX = 60
# Kafka makes its topic of offsets at the first use: not available, loading, not the coordinator.
RETRIABLE = {14, 15, 16}
LATENCIES_MAX = 1 << 20


class Member:
    """One connection that commits for one group; `window` requests are unanswered."""

    def __init__(self, options, number):
        self.connection = rawwire.Connection(options.bootstrap)
        self.group = f"{options.topic}-group-{number}"
        first = number * options.per_request
        self.offsets = {(first + i) % options.partitions: number for i in range(options.per_request)}
        self.request = rawwire.commit_request(self.group, options.topic, self.offsets)
        self.sent = []
        self.pending = b""

    def settle(self, topic):
        """Until the group is served: what a right answer looks like."""
        until = time.monotonic() + SETTLE_SECONDS_MAX
        while True:
            rawwire.find_coordinator(self.connection, self.group)
            answer = bytes(self.connection.call(self.request))
            errors = set(rawwire.commit_errors(answer, topic).values())
            if errors == {0}:
                self.right = struct.pack(">i", len(answer)) + answer
                return
            if errors - RETRIABLE or time.monotonic() > until:
                raise rawwire.WireError(f"commit for {self.group}: errors {sorted(errors)}")
            time.sleep(0.1)

    def begin(self, window):
        self.connection.socket.setblocking(False)
        self.send(window)

    def send(self, count):
        now = time.perf_counter()
        self.sent += [now] * count
        data = self.request * count
        if self.connection.socket.send(data) != len(data):
            raise rawwire.WireError("the broker takes in no requests")

    def receive(self, latencies):
        """Number of answers that came."""
        data = self.connection.socket.recv(1 << 16)
        if not data:
            raise rawwire.WireError("the broker closed the connection")
        data = self.pending + data
        count, rest = divmod(len(data), len(self.right))
        if data[:len(data) - rest] != self.right * count or not self.right.startswith(data[len(data) - rest:]):
            raise rawwire.WireError(f"a commit for {self.group} was refused: {data[:64]!r}")
        self.pending = data[len(data) - rest:]
        now = time.perf_counter()
        if len(latencies) < LATENCIES_MAX:
            latencies += [now - begun for begun in self.sent[:count]]
        del self.sent[:count]
        return count


def run(members, options):
    """Answers until the time is over, and how long that took."""
    selector = selectors.DefaultSelector()
    latencies = []
    answers = 0
    begun = time.perf_counter()
    until = begun + options.seconds
    for member in members:
        selector.register(member.connection.socket, selectors.EVENT_READ, member)
        member.begin(options.window)
    while (now := time.perf_counter()) < until:
        for key, _ in selector.select(until - now):
            count = key.data.receive(latencies)
            answers += count
            key.data.send(count)
    return answers, time.perf_counter() - begun, latencies


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, default=64)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--per-request", type=int, default=1, help="offsets in one request")
    parser.add_argument("--window", type=int, default=1, help="unanswered requests per connection")
    parser.add_argument("--seconds", type=float, default=5)
    o = parser.parse_args()
    try:
        members = [Member(o, number) for number in range(o.connections)]
        for member in members:
            member.settle(o.topic)
        answers, seconds, latencies = run(members, o)
    except (OSError, rawwire.WireError) as error:
        sys.exit(f"rawcommit: {type(error).__name__}: {error}")
    print(json.dumps({"offsets": answers * o.per_request, "seconds": seconds,
                      "p50_ms": percentile(latencies, 0.5) * 1000, "p99_ms": percentile(latencies, 0.99) * 1000}))


if __name__ == "__main__":
    main()
