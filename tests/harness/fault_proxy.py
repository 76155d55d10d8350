"""An HTTP proxy in front of a store that does what networks and stores do at their worst, by chance.

Each request meets at most one fault, drawn from the seed:

  slow_down   503 SlowDown; the store never sees the request
  internal    500 InternalError, likewise
  reset       the connection is reset before the store sees the request
  stall       it waits two seconds before it goes on to the store
  late        the store's answer waits two seconds
  lost        the store applies the request, and the answer is lost in a reset
  expired     400 ExpiredToken, the store never sees the request

Every `storm_every` seconds all requests of `storm_seconds` are refused with slow_down, half of them. `seen` counts what
clients sent, by method and kind of object; `met` counts the faults. Runs in a thread of its own.
"""
import asyncio
import collections
import random
import socket
import struct
import threading
import time

FAULTS = {"slow_down": 0.01, "internal": 0.005, "reset": 0.01, "stall": 0.005, "late": 0.005, "lost": 0.01, "expired": 0.003}
STALL_SECONDS = 2
CODES = {"slow_down": (503, "Slow Down", "SlowDown"), "internal": (500, "Internal Server Error", "InternalError"),
         "expired": (400, "Bad Request", "ExpiredToken")}


class BadMessage(Exception):
    pass


async def read_message(reader, head_only=False):
    """(bytes of the head, fields by lower-case name, body) of a request or an answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    fields = {}
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    if "chunked" in fields.get("transfer-encoding", "").lower():
        if head_only:
            return head, fields, b""
        return head, fields, await read_chunks(reader)
    size = 0 if head_only else int(fields.get("content-length") or 0)
    return head, fields, await reader.readexactly(size)


async def read_chunks(reader):
    """A chunked body as it stands on the wire."""
    whole = b""
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        whole += line + await reader.readexactly(size + 2)
        if size == 0:
            return whole


class FaultProxy:
    """In front of the server at 127.0.0.1:`port`; `endpoint` is where clients go."""

    def __init__(self, port, seed, faults=None, storm_every=60, storm_seconds=3):
        self._upstream = port
        self.seed = seed
        self._random = random.Random(seed)
        self._faults = dict(FAULTS if faults is None else faults)
        self._storm = (storm_every, storm_seconds)
        self.seen = collections.Counter()
        self.met = collections.Counter()
        self.quiet = True  # No faults: brokers start and end in peace.
        self._loop = asyncio.new_event_loop()
        self._began = time.monotonic()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        started.wait()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self, started):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 26))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader, writer):
        upstream = None
        try:
            while True:
                head, _, body = await read_message(reader)
                if upstream is None:
                    upstream = await asyncio.open_connection("127.0.0.1", self._upstream, limit=1 << 26)
                if not await self._one(head, body, upstream, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError, BadMessage, asyncio.CancelledError):
            pass
        finally:
            for end in (writer, upstream[1] if upstream else None):
                if end is not None:
                    end.close()

    async def _one(self, head, body, upstream, writer):
        """Serves one request; False when the connection is over."""
        method, path = head.split(b" ", 2)[:2]
        self.seen[kind_of(method.decode(), path.decode())] += 1
        fault = self._draw()
        if fault:
            self.met[fault] += 1
        if fault in CODES:
            await answer(writer, method, CODES[fault])
            return True
        if fault == "reset":
            reset(writer)
            return False
        if fault == "stall":
            await asyncio.sleep(STALL_SECONDS)
        upstream[1].write(head + body)
        await upstream[1].drain()
        said, fields, content = await read_message(upstream[0], head_only=method == b"HEAD")
        if fault == "late":
            await asyncio.sleep(STALL_SECONDS)
        if fault == "lost":
            reset(writer)
            return False
        writer.write(said + content)
        await writer.drain()
        return fields.get("connection", "").lower() != "close"

    def _draw(self):
        if self.quiet:
            return None
        every, seconds = self._storm
        if (time.monotonic() - self._began) % every < seconds and self._random.random() < 0.5:
            return "slow_down"
        chance = self._random.random()
        for fault, share in self._faults.items():
            if chance < share:
                return fault
            chance -= share
        return None


def kind_of(method, path):
    """Named by what S3 charges for: a listing is no GET, and deletions are free."""
    if "list-type=" in path:
        method = "LIST"
    if method == "POST" and path.endswith(("?delete", "?delete=")):
        method = "DELETE"
    for part in ("/log/", "/data/", "/snapshot/", "/probe/"):
        if part in path:
            return f"{method} {part.strip('/')}"
    return f"{method} other"


async def answer(writer, method, code):
    status, reason, name = code
    text = b"" if method == b"HEAD" else f"<Error><Code>{name}</Code><Message>by the proxy</Message></Error>".encode()
    writer.write(f"HTTP/1.1 {status} {reason}\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
    await writer.drain()


def reset(writer):
    """An RST rather than a friendly end."""
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
