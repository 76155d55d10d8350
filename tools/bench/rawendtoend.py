"""End-to-end latency, a program of its own: one connection produces at a fixed pace, another one long-polls.

A batch's time counts from when it was due to be sent until the answer that holds it is read. There is one producer and
every batch has the same number of records, so the offset tells which batch it is. Prints one JSON line.
"""
import argparse
import json
import random
import sys
import threading
import time

import rawwire
from rawclient import percentile

CONSUMER_SECONDS_MAX = 60


class Producer(threading.Thread):
    def __init__(self, options, records):
        super().__init__(daemon=True)
        self.options = options
        self.connection = rawwire.Connection(options.bootstrap)
        self.requests = [rawwire.produce_request(options.topic, [p], records) for p in range(options.partitions)]
        self.due = {}
        self.failure = None

    def run(self):
        gap = self.options.gap_ms / 1000
        answers = threading.Thread(target=self.check, daemon=True)
        answers.start()
        start = time.perf_counter() + gap
        try:
            for number in range(self.options.batches):
                partition = number % self.options.partitions
                due = start + number * gap
                self.due[partition, number // self.options.partitions] = due
                time.sleep(max(0.0, due - time.perf_counter()))
                self.connection.send(self.requests[partition])
        except OSError as error:
            self.failure = str(error)
        answers.join()

    def check(self):
        try:
            for _ in range(self.options.batches):
                rawwire.check_produced(self.connection.receive(), self.options.topic)
        except (OSError, rawwire.WireError) as error:
            self.failure = str(error)


def consume(options, producer, count):
    """Latencies of all batches, in seconds."""
    connection = rawwire.Connection(options.bootstrap)
    offsets = dict.fromkeys(range(options.partitions), 0)
    latencies = []
    until = time.monotonic() + options.batches * options.gap_ms / 1000 + CONSUMER_SECONDS_MAX
    while len(latencies) < options.batches:
        if producer.failure or time.monotonic() > until:
            raise rawwire.WireError(producer.failure or f"only {len(latencies)} batches arrived")
        answer = connection.call(rawwire.fetch_request(options.topic, offsets))
        now = time.perf_counter()
        for partition, place, size in rawwire.fetched(answer, options.topic):
            before = offsets[partition]
            offsets[partition], _ = rawwire.next_offset(answer, place, size, before)
            for number in range(before // count, offsets[partition] // count):
                latencies.append(now - producer.due[partition, number])
    connection.close()
    return latencies


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--record-bytes", type=int, default=1024)
    parser.add_argument("--batch-bytes", type=int, required=True)
    parser.add_argument("--gap-ms", type=float, required=True)
    parser.add_argument("--batches", type=int, required=True)
    options = parser.parse_args()
    records, count = rawwire.batch(options.record_bytes, options.batch_bytes, int(time.time() * 1000), random.Random(1))
    producer = Producer(options, records)
    producer.start()
    try:
        latencies = consume(options, producer, count)
    except (OSError, rawwire.WireError) as error:
        sys.exit(f"rawendtoend: {error}")
    producer.join()
    print(json.dumps({"bytes": options.batches * len(records), "p50_ms": percentile(latencies, 0.5) * 1000,
                      "p99_ms": percentile(latencies, 0.99) * 1000}))


if __name__ == "__main__":
    main()
