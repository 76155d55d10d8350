"""The few requests of the Kafka protocol that starting, stopping and checking a broker takes, without tagged fields.

Nothing here measures anything but the time to the first answer; loads are `weir perf`'s.
"""
import socket
import struct

PRODUCE, PRODUCE_VERSION = 0, 7
FETCH, FETCH_VERSION = 1, 11
METADATA, METADATA_VERSION = 3, 1
OFFSET_COMMIT, OFFSET_COMMIT_VERSION = 8, 2
FIND_COORDINATOR, FIND_COORDINATOR_VERSION = 10, 0
CREATE_TOPICS, CREATE_TOPICS_VERSION = 19, 4
DELETE_TOPICS, DELETE_TOPICS_VERSION = 20, 1
ANSWER_BYTES_MAX = 128 << 20
# Kafka stalls for seconds when a thousand partitions begin, and longer on a busy machine.
SECONDS_MAX = 300
BATCH_HEADER_BYTES = 61


class WireError(Exception):
    pass


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _varint(value):
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def keyed_record(delta, key, value):
    """One record of a batch; no value makes a tombstone."""
    body = b"\0\0" + _varint(delta) + _varint(len(key)) + key
    body += _varint(-1) if value is None else _varint(len(value)) + value
    body += b"\0"
    return _varint(len(body)) + body


def batch(record_bytes, batch_bytes_max, now_ms, rng):
    """A record batch of as many records as fit (at least one), and their number."""
    records = []
    size = BATCH_HEADER_BYTES
    while True:
        record = keyed_record(len(records), b"", rng.randbytes(record_bytes))
        if records and size + len(record) > batch_bytes_max:
            break
        records.append(record)
        size += len(record)
    return batch_of(records, now_ms), len(records)


def batch_of(records, now_ms):
    """A batch of encoded records."""
    count = len(records)
    checked = struct.pack(">hiqqqhii", 0, count - 1, now_ms, now_ms, -1, -1, -1, count) + b"".join(records)
    head = struct.pack(">iBI", -1, 2, crc32c(checked))
    return struct.pack(">qi", 0, len(head) + len(checked)) + head + checked


def text(value):
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def request(api, version, body):
    head = struct.pack(">hhi", api, version, 7) + text("bench")
    return struct.pack(">i", len(head) + len(body)) + head + body


def produce_request(topic, partitions, records, timeout_ms=30_000):
    """acks=all; the same records for each partition."""
    rows = b"".join(struct.pack(">ii", p, len(records)) + records for p in partitions)
    body = struct.pack(">hhii", -1, -1, timeout_ms, 1) + text(topic) + struct.pack(">i", len(partitions)) + rows
    return request(PRODUCE, PRODUCE_VERSION, body)


def check_produced(answer, topic):
    """Raises unless every partition was accepted; gives {partition: base offset}."""
    at = 4 + 4 + 2 + len(topic.encode())
    (count,) = struct.unpack_from(">i", answer, at)
    at += 4
    bases = {}
    for _ in range(count):
        partition, error, base, _, _ = struct.unpack_from(">ihqqq", answer, at)
        if error != 0:
            raise WireError(f"produce to {topic}-{partition}: error {error}")
        bases[partition] = base
        at += 30
    return bases


def fetch_request(topic, offsets, max_wait_ms=500, min_bytes=1, max_bytes=50 << 20, partition_bytes=1 << 20):
    rows = b"".join(struct.pack(">iiqqi", p, -1, offset, -1, partition_bytes) for p, offset in offsets.items())
    body = (struct.pack(">iiiibiii", -1, max_wait_ms, min_bytes, max_bytes, 0, 0, -1, 1) + text(topic)
            + struct.pack(">i", len(offsets)) + rows + struct.pack(">i", 0) + text(""))
    return request(FETCH, FETCH_VERSION, body)


def fetched(answer, topic):
    """Yields (partition, place, size) of the records of each partition in the answer."""
    _, error, _, topics = struct.unpack_from(">ihii", answer, 4)
    if error != 0:
        raise WireError(f"fetch: error {error}")
    at = 18
    for _ in range(topics):
        at += 2 + len(topic.encode())
        (count,) = struct.unpack_from(">i", answer, at)
        at += 4
        for _ in range(count):
            partition, error, _, _, _, aborted = struct.unpack_from(">ihqqqi", answer, at)
            if error != 0:
                raise WireError(f"fetch of {topic}-{partition}: error {error}")
            at += 34 + 16 * max(0, aborted)
            _, size = struct.unpack_from(">ii", answer, at)
            at += 8
            yield partition, at, max(0, size)
            at += max(0, size)


def next_offset(answer, place, size, expected):
    """Walks the whole batches; the offset after them, and their bytes. Raises if one is not where it must be."""
    end = place + size
    taken = 0
    while place + BATCH_HEADER_BYTES <= end:
        base, length = struct.unpack_from(">qi", answer, place)
        if place + 12 + length > end:
            break
        (last,) = struct.unpack_from(">i", answer, place + 23)
        if base + last < expected or base > expected:
            raise WireError(f"a batch at {base} where {expected} was asked for")
        expected = base + last + 1
        place += 12 + length
        taken += 12 + length
    return expected, taken


def find_coordinator(connection, group):
    """The error only: there is one broker."""
    answer = connection.call(request(FIND_COORDINATOR, FIND_COORDINATOR_VERSION, text(group)))
    (error,) = struct.unpack_from(">h", answer, 4)
    return error


def commit_request(group, topic, offsets):
    """Of nobody in particular: a group without members."""
    rows = b"".join(struct.pack(">iq", partition, offset) + text("") for partition, offset in offsets.items())
    body = (text(group) + struct.pack(">i", -1) + text("") + struct.pack(">qi", -1, 1) + text(topic)
            + struct.pack(">i", len(offsets)) + rows)
    return request(OFFSET_COMMIT, OFFSET_COMMIT_VERSION, body)


def commit_errors(answer, topic):
    """{partition: error}"""
    at = 4 + 4 + 2 + len(topic.encode())
    (count,) = struct.unpack_from(">i", answer, at)
    return dict(struct.unpack_from(">ih", answer, at + 4 + 6 * number) for number in range(count))


class Connection:
    def __init__(self, address, buffer_bytes=1 << 20):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), SECONDS_MAX)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray(buffer_bytes)

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        """The next answer without its length, as a view that the next call overwrites."""
        self._fill(memoryview(self._buffer)[:4])
        (size,) = struct.unpack_from(">i", self._buffer)
        if not 4 <= size <= ANSWER_BYTES_MAX:
            raise WireError(f"an answer of {size} bytes")
        if size > len(self._buffer):
            self._buffer = bytearray(size)
        view = memoryview(self._buffer)[:size]
        self._fill(view)
        return view

    def _fill(self, view):
        at = 0
        while at < len(view):
            got = self.socket.recv_into(view[at:])
            if got == 0:
                raise WireError("the broker closed the connection")
            at += got

    def call(self, data):
        self.send(data)
        return self.receive()

    def close(self):
        self.socket.close()


def create_topic(connection, topic, partitions, configs=None):
    create_topics(connection, [topic], partitions, configs)


def create_topics(connection, topics, partitions, configs=None):
    """`configs`: of each of them, {name: value}."""
    settings = struct.pack(">i", len(configs or {})) + b"".join(text(k) + text(v) for k, v in (configs or {}).items())
    rows = b"".join(text(topic) + struct.pack(">ihi", partitions, 1, 0) + settings for topic in topics)
    body = struct.pack(">i", len(topics)) + rows + struct.pack(">iB", SECONDS_MAX * 1000, 0)
    answer = connection.call(request(CREATE_TOPICS, CREATE_TOPICS_VERSION, body))
    (count,) = struct.unpack_from(">i", answer, 8)
    at = 12
    for _ in range(count):
        (size,) = struct.unpack_from(">h", answer, at)
        name = bytes(answer[at + 2:at + 2 + size]).decode()
        error, message = struct.unpack_from(">hh", answer, at + 2 + size)
        if error != 0:
            raise WireError(f"creating {name}: error {error}")
        at += 6 + size + max(0, message)
    return count


def leaders(connection, topic):
    """Number of partitions of the topic that have a leader."""
    answer = connection.call(request(METADATA, METADATA_VERSION, struct.pack(">i", 1) + text(topic)))
    (brokers,) = struct.unpack_from(">i", answer, 4)
    at = 8
    for _ in range(brokers):
        (host,) = struct.unpack_from(">h", answer, at + 4)
        at += 6 + host + 4
        (rack,) = struct.unpack_from(">h", answer, at)
        at += 2 + max(0, rack)
    at += 4 + 4 + 2 + 2 + len(topic.encode()) + 1
    (count,) = struct.unpack_from(">i", answer, at)
    at += 4
    led = 0
    for _ in range(count):
        error, _, leader, replicas = struct.unpack_from(">hiii", answer, at)
        at += 14 + 4 * replicas
        (isr,) = struct.unpack_from(">i", answer, at)
        at += 4 + 4 * isr
        led += error == 0 and leader >= 0
    return led


def any_metadata(connection):
    return connection.call(request(METADATA, METADATA_VERSION, struct.pack(">i", 0)))


def delete_topics(connection, topics):
    body = struct.pack(">i", len(topics)) + b"".join(text(topic) for topic in topics) + struct.pack(">i", SECONDS_MAX * 1000)
    answer = connection.call(request(DELETE_TOPICS, DELETE_TOPICS_VERSION, body))
    (count,) = struct.unpack_from(">i", answer, 8)
    at = 12
    for _ in range(count):
        (size,) = struct.unpack_from(">h", answer, at)
        (error,) = struct.unpack_from(">h", answer, at + 2 + size)
        if error != 0:
            raise WireError(f"deleting a topic: error {error}")
        at += 4 + size
    return count
