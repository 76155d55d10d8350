"""confluent-kafka for the tests: one JSON command a line in, one JSON answer a line out (see harness/agents.py)."""
import base64
import json
import sys
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

DELIVERY_SECONDS_MAX = 60


def to_text(data):
    return None if data is None else base64.b64encode(data).decode()


def from_text(text):
    return None if text is None else base64.b64decode(text)


def recreate(command):
    """Deletes the topic and creates it anew with as many partitions, while a producer that knows it stays open."""
    admin = AdminClient({"bootstrap.servers": command["bootstrap"]})
    name = command["topic"]
    partitions = len(admin.list_topics(name, timeout=30).topics[name].partitions)
    admin.delete_topics([name])[name].result(30)
    admin.create_topics([NewTopic(name, partitions, 1)])[name].result(30)


def produce(command):
    producer = Producer({"bootstrap.servers": command["bootstrap"], "compression.type": command["codec"],
                         "acks": command.get("acks", "all"), "enable.idempotence": command.get("idempotent", False),
                         "linger.ms": 20, **command.get("config", {})})
    results = [None] * len(command["records"])

    def delivered(index):
        def note(error, message):
            results[index] = ({"error": error.name(), "message": error.str()} if error
                              else {"offset": message.offset(), "timestamp": message.timestamp()[1]})
        return note

    for index, record in enumerate(command["records"]):
        if index == command.get("recreate_at"):
            producer.flush(DELIVERY_SECONDS_MAX)
            recreate(command)
        options = {} if record["timestamp"] is None else {"timestamp": record["timestamp"]}
        producer.produce(command["topic"], from_text(record["value"]), from_text(record["key"]), record["partition"],
                         on_delivery=delivered(index), headers=[(n, from_text(d)) for n, d in record["headers"]], **options)
        producer.poll(0)
    left = producer.flush(DELIVERY_SECONDS_MAX)
    if left:
        return {"error": "Timeout", "message": f"{left} records not delivered"}
    return {"results": results}


def consume(command):
    consumer = Consumer({"bootstrap.servers": command["bootstrap"], "group.id": "not used", "enable.auto.commit": False,
                         "auto.offset.reset": "error", "check.crcs": True, **command.get("config", {})})
    ends = {int(p): end for p, end in command["until"].items()}
    records = []
    try:
        open_partitions = {p for p, end in ends.items() if end > command["start"][str(p)]}
        consumer.assign([TopicPartition(command["topic"], p, command["start"][str(p)]) for p in sorted(open_partitions)])
        deadline = time.monotonic() + command.get("seconds_max", 60)
        while open_partitions:
            if time.monotonic() > deadline:
                return {"error": "Timeout", "message": f"{len(records)} records, open partitions {sorted(open_partitions)}"}
            for message in consumer.consume(500, 0.5):
                if message.error():
                    return {"error": message.error().name(), "message": message.error().str()}
                partition = message.partition()
                if message.offset() < ends[partition]:
                    records.append({"partition": partition, "offset": message.offset(), "key": to_text(message.key()),
                                    "value": to_text(message.value()), "timestamp": message.timestamp()[1],
                                    "headers": [[n, to_text(d)] for n, d in message.headers() or []]})
                if message.offset() + 1 >= ends[partition]:
                    open_partitions.discard(partition)
    finally:
        consumer.close()
    return {"records": records}


def watermarks(command):
    consumer = Consumer({"bootstrap.servers": command["bootstrap"], "group.id": "not used"})
    try:
        low, high = consumer.get_watermark_offsets(TopicPartition(command["topic"], command["partition"]), 20)
        times = consumer.offsets_for_times(
            [TopicPartition(command["topic"], command["partition"], command.get("timestamp", 0))], 20)
    finally:
        consumer.close()
    return {"low": low, "high": high, "for_time": times[0].offset}


def create_topic(command):
    admin = AdminClient({"bootstrap.servers": command["bootstrap"]})
    topic = NewTopic(command["topic"], command["partitions"], 3, config=command.get("config", {}))
    admin.create_topics([topic])[command["topic"]].result(30)
    return {}


def topics(command):
    found = AdminClient({"bootstrap.servers": command["bootstrap"]}).list_topics(timeout=30)
    return {"topics": {name: len(topic.partitions) for name, topic in found.topics.items()},
            "brokers": sorted(found.brokers), "cluster": found.cluster_id}


OPERATIONS = {f.__name__: f for f in (produce, consume, watermarks, create_topic, topics)}


def main():
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = OPERATIONS[command["op"]](command)
        except KafkaException as error:
            answer = {"error": error.args[0].name(), "message": error.args[0].str()}
        except Exception as error:  # An answer must come, whatever it is.
            answer = {"error": type(error).__name__, "message": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
