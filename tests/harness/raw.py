"""Single requests written by hand, for what no client shows: the batches as they are stored, broken frames."""
import socket
import struct

FETCH = 1
CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
ANSWER_SECONDS_MAX = 20


def text(value):
    data = value.encode()
    return struct.pack(">h", len(data)) + data


class Connection:
    def __init__(self, address, seconds_max=ANSWER_SECONDS_MAX):
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=seconds_max)
        self._correlation = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def post(self, key, version, body):
        """Sends a request with header version 1."""
        self._correlation += 1
        self.send_bytes(struct.pack(">hhi", key, version, self._correlation) + text("raw") + body, framed=True)

    def answer(self):
        """The bytes of the answer to the last request, after the correlation id."""
        answer = self.read_frame()
        assert struct.unpack_from(">i", answer)[0] == self._correlation, answer[:16]
        return answer[4:]

    def send_bytes(self, data, framed=False):
        self._socket.sendall((struct.pack(">i", len(data)) if framed else b"") + data)

    def read_frame(self):
        return self._exactly(struct.unpack(">i", self._exactly(4))[0])

    def _exactly(self, size):
        parts = []
        while size:
            part = self._socket.recv(min(size, 1 << 20))
            if not part:
                raise ConnectionError("the broker closed the connection")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def closed_by_peer(self):
        """True when the broker ends the connection without another byte, False at the time limit."""
        try:
            return self._socket.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False


def post_fetch(connection, topic, partition, offset=0, bytes_max=8 << 20, wait_ms=10_000):
    """Asks for one partition; answered as soon as there is a byte, or after `wait_ms`."""
    body = struct.pack(">iiiib", -1, wait_ms, 1, bytes_max, 0) + struct.pack(">i", 1) + text(topic)
    connection.post(FETCH, 4, body + struct.pack(">iiqi", 1, partition, offset, bytes_max))


def fetch_batches(address, topic, partition):
    """(base offset, records, codec) of the stored batches from the first on, as far as one answer reaches."""
    with Connection(address) as connection:
        post_fetch(connection, topic, partition)
        return fetched_batches(connection)


def fetched_batches(connection):
    answer = connection.answer()
    # throttle, one topic, its name, one partition, index, error, high watermark, last stable offset, aborted, records
    at = 4 + 4
    at += 2 + struct.unpack_from(">h", answer, at)[0] + 4
    _, error, _, _, aborted = struct.unpack_from(">ihqqi", answer, at)
    assert error == 0 and aborted <= 0, (error, aborted)
    at += 26
    size = struct.unpack_from(">i", answer, at)[0]
    return list(batches(answer[at + 4:at + 4 + max(0, size)]))


def batches(data):
    """The heads of whole batches of message format 2."""
    at = 0
    while at + 61 <= len(data):
        base, size = struct.unpack_from(">qi", data, at)
        if at + 12 + size > len(data):
            return
        magic = data[at + 16]
        assert magic == 2, magic
        attributes = struct.unpack_from(">h", data, at + 21)[0]
        count = struct.unpack_from(">i", data, at + 57)[0]
        yield base, count, CODECS[attributes & 7]
        at += 12 + size
