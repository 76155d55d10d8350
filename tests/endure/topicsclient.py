"""One producer or one consumer of very many topics with one partition each, a program of its own.

    topicsclient.py produce …   5 records to each topic in every period, evenly spread over it
    topicsclient.py consume …   follows all topics in one fetch session

Both work by one plan: topic I gets the batch of round R at `--begin` + R periods + its place in the period, on the
clock that all processes of a machine share. So the consumer knows when each record was due, whoever was late with it.
The records of a round are encoded once for all topics; what either client costs is its sockets.

Prints one JSON line at the end. An error of the broker, a gap or a repetition ends it with a message and status 1.
"""
import argparse
import json
import pathlib
import random
import struct
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench")]

import rawwire  # noqa: E402

RECORDS = 5
UNANSWERED_MAX = 16
# The last records may take as long as the broker needs to commit them.
DRAIN_SECONDS_MAX = 60
FETCH_WAIT_MS = 500
# A slow machine must show in the figures, not as an error.
PRODUCE_TIMEOUT_MS = 120_000


def clock():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


class Plan:
    """Which topics are due when. Requests are the unit: each holds a run of topics."""

    def __init__(self, options):
        self.topics = [f"{options.prefix}{number:05}" for number in range(options.topics)]
        # Real tables do not change in the order of their names.
        random.Random(1).shuffle(self.topics)
        self.begin = options.begin
        self.period = options.period
        self.rounds = options.rounds
        size = options.per_request
        self.requests = [self.topics[at:at + size] for at in range(0, len(self.topics), size)]
        self.place = {}
        for index, names in enumerate(self.requests):
            for name in names:
                self.place[name] = index * self.period / len(self.requests)

    def due(self, place, turn):
        return self.begin + turn * self.period + place


def records_of(turn, value_bytes, keys, rng):
    """The batch of a round: keys that come again after `keys` rounds, now and then a tombstone."""
    rows = []
    for number in range(RECORDS):
        key = f"key-{turn % keys:06}-{number}".encode()
        value = None if (turn + number) % 17 == 16 else rng.randbytes(value_bytes)
        rows.append(rawwire.keyed_record(number, key, value))
    return rawwire.batch_of(rows, int(time.time() * 1000))


class Producer(threading.Thread):
    """One connection that sends every `stride`th request of the plan."""

    def __init__(self, options, plan, first):
        super().__init__(daemon=True)
        self.options, self.plan, self.first = options, plan, first
        self.connection = rawwire.Connection(options.bootstrap)
        self.room = threading.Semaphore(UNANSWERED_MAX)
        self.sent = []
        self.lateness = 0.0
        self.latencies = []
        self.failure = None

    def run(self):
        answers = threading.Thread(target=self.settle, daemon=True)
        answers.start()
        try:
            self.send_all()
        except OSError as error:
            self.failure = str(error)
        answers.join()

    def send_all(self):
        rng = random.Random(self.first)
        for turn in range(self.plan.rounds):
            records = records_of(turn, self.options.value_bytes, self.options.keys, rng)
            rows = struct.pack(">iii", 1, 0, len(records)) + records
            for index in range(self.first, len(self.plan.requests), self.options.connections):
                names = self.plan.requests[index]
                due = self.plan.due(self.plan.place[names[0]], turn)
                time.sleep(max(0.0, due - clock()))
                self.room.acquire()
                if self.failure:
                    return
                self.lateness = max(self.lateness, clock() - due)
                self.sent.append((due, names))
                body = struct.pack(">hhii", -1, -1, PRODUCE_TIMEOUT_MS, len(names)) + b"".join(rawwire.text(n) + rows for n in names)
                self.connection.send(rawwire.request(rawwire.PRODUCE, rawwire.PRODUCE_VERSION, body))

    def settle(self):
        try:
            mine = len(range(self.first, len(self.plan.requests), self.options.connections))
            for number in range(self.plan.rounds * mine):
                answer = self.connection.receive()
                due, names = self.sent[number]
                self.latencies.append(clock() - due)
                self.check(answer, len(names))
                self.room.release()
        except (OSError, rawwire.WireError) as error:
            self.failure = str(error)
            self.room.release()

    @staticmethod
    def check(answer, count):
        at = 8
        for _ in range(count):
            (length,) = struct.unpack_from(">h", answer, at)
            at += 2 + length + 4
            _, error = struct.unpack_from(">ih", answer, at)
            if error != 0:
                raise rawwire.WireError(f"produce: error {error}")
            at += 30


def produce(options, plan):
    shares = [Producer(options, plan, first) for first in range(options.connections)]
    for share in shares:
        share.start()
    for share in shares:
        share.join()
        if share.failure:
            raise rawwire.WireError(share.failure)
    latencies = sorted(latency for share in shares for latency in share.latencies)
    return {"records": plan.rounds * len(plan.topics) * RECORDS, "lateness_ms": max(s.lateness for s in shares) * 1000,
            "p50_ms": percentile(latencies, 0.5) * 1000, "p99_ms": percentile(latencies, 0.99) * 1000}


class Session:
    """One incremental fetch session (KIP-227) over all topics of the plan."""

    def __init__(self, options, plan):
        self.connection = rawwire.Connection(options.bootstrap)
        self.offsets = dict.fromkeys(plan.topics, 0)
        self.id, self.epoch = 0, 0

    def fetch(self, changed):
        rows = b"".join(rawwire.text(name) + struct.pack(">iiiqqi", 1, 0, -1, self.offsets[name], -1, 1 << 20)
                        for name in changed)
        body = (struct.pack(">iiiibiii", -1, FETCH_WAIT_MS, 1, 50 << 20, 0, self.id, self.epoch, len(changed)) + rows
                + struct.pack(">i", 0) + rawwire.text(""))
        answer = self.connection.call(rawwire.request(rawwire.FETCH, rawwire.FETCH_VERSION, body))
        _, error, self.id, topics = struct.unpack_from(">ihii", answer, 4)
        if error != 0:
            raise rawwire.WireError(f"fetch: error {error}")
        self.epoch += 1
        at = 18
        for _ in range(topics):
            (length,) = struct.unpack_from(">h", answer, at)
            name = bytes(answer[at + 2:at + 2 + length]).decode()
            _, _, error, _, _, _, aborted = struct.unpack_from(">iihqqqi", answer, at + 2 + length)
            if error != 0:
                raise rawwire.WireError(f"fetch of {name}: error {error}")
            at += 2 + length + 38 + 16 * max(0, aborted)
            _, size = struct.unpack_from(">ii", answer, at)
            at += 8
            if size > 0:
                yield name, answer, at, size
            at += max(0, size)


def consume(options, plan):
    session = Session(options, plan)
    for _ in session.fetch(plan.topics):
        raise rawwire.WireError("there are records before the first was due")
    print("following", flush=True)
    latencies = []
    changed = []
    left = plan.rounds * len(plan.topics)
    give_up = plan.begin + plan.rounds * plan.period + DRAIN_SECONDS_MAX
    while left > 0:
        arrived = list(session.fetch(changed))
        now = clock()
        if now > give_up:
            raise rawwire.WireError(f"{left} batches have not arrived")
        changed = []
        for name, answer, place, size in arrived:
            before = session.offsets[name]
            after, _ = rawwire.next_offset(answer, place, size, before)
            session.offsets[name] = after
            changed.append(name)
            for turn in range(before // RECORDS, after // RECORDS):
                latencies.append((turn, now - plan.due(plan.place[name], turn)))
            left -= after // RECORDS - before // RECORDS
    settled = sorted(latency for turn, latency in latencies if turn >= options.ignore)
    return {"records": sum(session.offsets.values()), "p50_ms": percentile(settled, 0.5) * 1000,
            "p99_ms": percentile(settled, 0.99) * 1000, "max_ms": settled[-1] * 1000}


def percentile(values, part):
    return values[min(len(values) - 1, int(len(values) * part))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["produce", "consume"])
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--prefix", default="cdc-")
    parser.add_argument("--topics", type=int, required=True)
    parser.add_argument("--begin", type=float, required=True, help="seconds of the monotonic clock")
    parser.add_argument("--period", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--ignore", type=int, default=1, help="rounds whose latencies do not count")
    parser.add_argument("--per-request", type=int, default=150)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--value-bytes", type=int, default=100)
    parser.add_argument("--keys", type=int, default=20, help="rounds after which the same keys come again")
    options = parser.parse_args()
    try:
        plan = Plan(options)
        begun = time.process_time()
        result = produce(options, plan) if options.what == "produce" else consume(options, plan)
    except (OSError, rawwire.WireError) as error:
        sys.exit(f"topicsclient {options.what}: {error}")
    result["cpu_seconds"] = time.process_time() - begun
    print(json.dumps(result))


if __name__ == "__main__":
    main()
