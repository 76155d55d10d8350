"""The raw client, a program of its own: pre-encoded produce requests, or fetches that only walk batch headers.

Prints one JSON line. Requests go out while others are unanswered (`--window`), over several connections that each own a
share of the partitions. Every answer is checked: an error ends the run. Latencies are those of whole requests.
"""
import argparse
import json
import random
import sys
import threading
import time

import rawwire



class Share(threading.Thread):
    """One connection and its partitions."""

    def __init__(self, options, partitions):
        super().__init__(daemon=True)
        self.options = options
        self.partitions = partitions
        self.connection = rawwire.Connection(options.bootstrap)
        self.bytes = 0
        self.latencies = []
        self.failure = None

    def run(self):
        try:
            self.work()
        except (OSError, rawwire.WireError) as error:
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self.connection.close()


class Producer(Share):
    """`--bytes` in all, so each share sends its part of them."""

    def prepare(self, records):
        o = self.options
        self.requests = [rawwire.produce_request(o.topic, self.partitions[i:i + o.per_request], records)
                         for i in range(0, len(self.partitions), o.per_request)]
        self.payloads = [len(self.partitions[i:i + o.per_request]) * len(records)
                         for i in range(0, len(self.partitions), o.per_request)]
        self.rounds = max(1, o.bytes // o.connections // sum(self.payloads))

    def work(self):
        sent = []
        gap = self.options.gap_ms / 1000
        due = time.perf_counter()
        for number in range(self.rounds * len(self.requests)):
            which = number % len(self.requests)
            if len(sent) == self.options.window:
                self.settle(sent)
            if gap:
                time.sleep(max(0.0, due - time.perf_counter()))
            # With a fixed pace the time counts from when the request was due, not from when it could be sent.
            begun = due if gap else time.perf_counter()
            due += gap
            self.connection.send(self.requests[which])
            sent.append((begun, which))
        while sent:
            self.settle(sent)

    def settle(self, sent):
        answer = self.connection.receive()
        begun, which = sent.pop(0)
        self.latencies.append(time.perf_counter() - begun)
        rawwire.check_produced(answer, self.options.topic)
        self.bytes += self.payloads[which]


class Consumer(Share):
    """From the beginning until `--bytes` in all shares together were read; offsets must be dense."""

    def work(self):
        o = self.options
        offsets = dict.fromkeys(self.partitions, 0)
        share = o.bytes // o.connections
        while self.bytes < share:
            before = self.bytes
            begun = time.perf_counter()
            answer = self.connection.call(rawwire.fetch_request(o.topic, offsets))
            self.latencies.append(time.perf_counter() - begun)
            for partition, place, size in rawwire.fetched(answer, o.topic):
                offsets[partition], taken = rawwire.next_offset(answer, place, size, offsets[partition])
                self.bytes += taken
                if taken:
                    # What was read goes to the end, so that no partition waits for ever behind full answers.
                    offsets[partition] = offsets.pop(partition)
            if self.bytes == before:
                raise rawwire.WireError(f"an empty answer after {self.bytes} of {share} bytes")


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["produce", "consume"])
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--per-request", type=int, default=1 << 30, help="partitions in one produce request")
    parser.add_argument("--window", type=int, default=5, help="unanswered requests per connection")
    parser.add_argument("--record-bytes", type=int, default=1024)
    parser.add_argument("--batch-bytes", type=int, default=256 << 10)
    parser.add_argument("--gap-ms", type=float, default=0, help="fixed pace of requests per connection")
    parser.add_argument("--bytes", type=int, required=True)
    o = parser.parse_args()
    kind = Producer if o.what == "produce" else Consumer
    shares = [kind(o, list(range(i, o.partitions, o.connections))) for i in range(o.connections)]
    if o.what == "produce":
        records, _ = rawwire.batch(o.record_bytes, o.batch_bytes, int(time.time() * 1000), random.Random(1))
        for share in shares:
            share.prepare(records)
    begun = time.perf_counter()
    for share in shares:
        share.start()
    for share in shares:
        share.join()
    seconds = time.perf_counter() - begun
    failures = [share.failure for share in shares if share.failure]
    if failures:
        sys.exit(f"rawclient: {failures[0]}")
    latencies = [value for share in shares for value in share.latencies]
    print(json.dumps({"bytes": sum(share.bytes for share in shares), "seconds": seconds,
                      "p50_ms": percentile(latencies, 0.5) * 1000, "p99_ms": percentile(latencies, 0.99) * 1000}))


if __name__ == "__main__":
    main()
