"""An HTTP proxy that makes a store on this machine as slow as S3, a program of its own:

    python3 tools/bench/latencyproxy.py --store 127.0.0.1:PORT [--seed N]

Prints the port that it listens on, and serves until it is ended. The first byte of each answer goes out no earlier than a
draw of the law after the request's head came (`latencylaw.py`: by verb, size of a put, size of what is read), so a
request takes what the law says, and longer only where the store itself does. Bytes pass through as they come. One thread
serves a connection and its twin to the store; Python holds no lock while it copies.
"""
import argparse
import random
import socket
import sys
import threading
import time

import latencylaw

PIECE_BYTES = 1 << 20
HEAD_BYTES_MAX = 64 << 10
BACKLOG = 1024


class Closed(Exception):
    """The other side has gone."""


class Head:
    """Of a request or an answer: its bytes, first line and fields."""

    def __init__(self, raw):
        self.raw = raw
        first, *lines = raw.decode("latin-1").rstrip("\r\n").split("\r\n")
        self.first = first.split(" ", 2)
        self.fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def __getitem__(self, name):
        return self.fields.get(name, "")

    @property
    def length(self):
        return int(self["content-length"] or 0)

    @property
    def chunked(self):
        return "chunked" in self["transfer-encoding"].lower()


class Stream:
    """One side of a connection: what was received and not used yet."""

    def __init__(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connection
        self._rest = bytearray()
        self._piece = memoryview(bytearray(PIECE_BYTES))

    def _more(self):
        data = self._socket.recv(HEAD_BYTES_MAX)
        if not data:
            raise Closed()
        self._rest += data

    def _through(self, mark):
        """Everything up to `mark`, with it."""
        while (end := self._rest.find(mark)) < 0:
            if len(self._rest) > HEAD_BYTES_MAX:
                raise Closed()
            self._more()
        end += len(mark)
        taken = bytes(self._rest[:end])
        del self._rest[:end]
        return taken

    def head(self):
        return Head(self._through(b"\r\n\r\n"))

    def send(self, data):
        self._socket.sendall(data)

    def pass_on(self, size, to):
        """The next `size` bytes."""
        first = bytes(self._rest[:size])
        del self._rest[:size]
        to.send(first)
        size -= len(first)
        while size:
            count = self._socket.recv_into(self._piece[:min(size, PIECE_BYTES)])
            if not count:
                raise Closed()
            to.send(self._piece[:count])
            size -= count

    def pass_chunks(self, to):
        while True:
            line = self._through(b"\r\n")
            to.send(line)
            size = int(line.split(b";")[0], 16)
            self.pass_on(size + 2, to)
            if size == 0:
                return

    def pass_body(self, head, to):
        if head.chunked:
            self.pass_chunks(to)
        else:
            self.pass_on(head.length, to)


def has_body(method, answer):
    return method != "HEAD" and answer.first[1] not in ("204", "304")


class Proxy:
    def __init__(self, store, law, seed):
        self._store = store
        self._law = law
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        self.port = self._listener.getsockname()[1]

    def run(self):
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        # A client that gives up, or a store that ends: the other side sees the same.
        try:
            with connection, socket.create_connection(self._store) as store:
                client, upstream = Stream(connection), Stream(store)
                while True:
                    self._one(client, upstream)
        except (Closed, OSError, ValueError, IndexError):
            pass

    def _one(self, client, upstream):
        request = client.head()
        began = time.monotonic()
        method = request.first[0]
        with self._lock:
            wait = self._law.of_request(method, request.length).draw(self._random)
        upstream.send(request.raw)
        client.pass_body(request, upstream)
        answer = upstream.head()
        if method == "GET":
            wait += answer.length / self._law.bytes_per_second
        time.sleep(max(0.0, began + wait - time.monotonic()))
        client.send(answer.raw)
        if has_body(method, answer):
            upstream.pass_body(answer, client)
        if answer["connection"].lower() == "close":
            raise Closed()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", required=True, metavar="HOST:PORT")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    host, _, port = options.store.rpartition(":")
    proxy = Proxy((host, int(port)), latencylaw.s3(), options.seed)
    print(proxy.port, flush=True)
    proxy.run()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
