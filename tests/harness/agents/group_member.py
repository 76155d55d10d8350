"""One member of a consumer group (confluent-kafka). Prints what happens to it, one JSON object a line, until its standard
input ends; then it leaves the group.

Arguments: bootstrap, topic, and the consumer's configuration as JSON. Commits after each record, so that what it printed
as read is what the group has.
"""
import json
import sys
import threading

from confluent_kafka import Consumer


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def partitions(list_of):
    return sorted(p.partition for p in list_of)


def main():
    bootstrap, topic, config = sys.argv[1:]
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    consumer = Consumer({"bootstrap.servers": bootstrap, "auto.offset.reset": "earliest", "enable.auto.commit": False,
                         **json.loads(config)})
    consumer.subscribe([topic], on_assign=lambda c, p: say("assigned", partitions=partitions(p)),
                       on_revoke=lambda c, p: say("revoked", partitions=partitions(p)),
                       on_lost=lambda c, p: say("lost", partitions=partitions(p)))
    while not ended.is_set():
        message = consumer.poll(0.1)
        if message is None:
            continue
        if message.error():
            say("error", text=str(message.error()))
            continue
        say("read", partition=message.partition(), offset=message.offset(), value=message.value().decode())
        try:
            consumer.commit(message, asynchronous=False)
        except Exception as error:  # A commit during a rebalance: the next owner reads the record again.
            say("commit_failed", text=str(error))
    consumer.close()
    say("left")


main()
