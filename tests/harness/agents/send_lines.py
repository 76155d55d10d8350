"""Sends each line of standard input as a record to partition 0, with confluent-kafka: send_lines.py BOOTSTRAP TOPIC."""
import sys

from confluent_kafka import Producer

DELIVERY_SECONDS_MAX = 300
failures = []


def delivered(error, _message):
    if error:
        failures.append(error)


def main(bootstrap, topic):
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 20, "compression.type": "snappy",
                         "retry.backoff.ms": 50, "reconnect.backoff.max.ms": 500, "queue.buffering.max.kbytes": 65536})
    for line in sys.stdin.buffer:
        while True:
            try:
                producer.produce(topic, line.removesuffix(b"\n"), partition=0, on_delivery=delivered)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    left = producer.flush(DELIVERY_SECONDS_MAX)
    print(f"{left} not delivered, {len(failures)} failed, first {failures[:3]}")
    return 1 if left or failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
