"""What a record is to a test: key, value, headers, timestamp; and how it travels in JSON (bytes as base64)."""
import base64
import dataclasses
import random


def to_text(data):
    return None if data is None else base64.b64encode(data).decode()


def from_text(text):
    return None if text is None else base64.b64decode(text)


@dataclasses.dataclass(frozen=True)
class Record:
    value: bytes | None
    key: bytes | None = None
    headers: tuple = ()  # of (name, bytes or None)
    timestamp: int | None = None  # None = the client's clock
    partition: int = 0
    offset: int | None = None  # known once it is stored

    def to_json(self):
        return {"partition": self.partition, "key": to_text(self.key), "value": to_text(self.value),
                "timestamp": self.timestamp, "headers": [[name, to_text(data)] for name, data in self.headers]}

    @staticmethod
    def of_json(fields):
        return Record(value=from_text(fields["value"]), key=from_text(fields["key"]),
                      headers=tuple((name, from_text(data)) for name, data in fields["headers"]),
                      timestamp=fields["timestamp"], partition=fields["partition"], offset=fields["offset"])

    def content(self):
        return self.key, self.value, self.headers


def text_records(count, partition, label, first_timestamp=1_700_000_000_000):
    """Text, so that every client can write and print it; repetitive enough to compress; null keys and values in some.

    The second half has headers, the same for all: kcat knows only one list per run.
    """
    rng = random.Random(f"{label}/{partition}")
    words = ["alpha", "βήτα", "гамма", "δ", "epsilon epsilon epsilon", "ζ" * 40, "'quoted'", "{\"json\": 1}"]
    headers = (("origin", label.encode()), ("κ", "ελληνικά".encode()))
    records = []
    for i in range(count):
        value = f"{label} {i} " + " ".join(rng.choice(words) for _ in range(rng.randrange(1, 60)))
        records.append(Record(value=value.encode() if i % 11 else None, key=f"key-{i % 7}-κ".encode() if i % 3 else None,
                              headers=headers if i >= count // 2 else (), timestamp=first_timestamp + i * 1000,
                              partition=partition))
    return records
