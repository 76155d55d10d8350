"""kcat behind the same two calls as the agents. It has no answer of its own: offsets are what the broker then holds."""
import json
import subprocess
import time

from harness import installs
from harness.records import Record

RUN_SECONDS_MAX = 60
NULL_KEY = b"\x1e"  # Stands between key and value; no test record holds it.


class KcatError(Exception):
    pass


class Kcat:
    name = "kcat"
    codecs = ["none", "gzip", "snappy", "lz4", "zstd"]

    def __init__(self):
        self._program = installs.kcat()

    def run(self, *arguments, data=b"", timeout=RUN_SECONDS_MAX):
        done = subprocess.run([self._program, *arguments], input=data, capture_output=True, timeout=timeout)
        if done.returncode != 0:
            raise KcatError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    def produce(self, bootstrap, topic, records, codec="none", idempotent=False, config=None):
        """kcat sets no timestamps, and has one list of headers per run: neighbours with equal ones go together."""
        config = {"enable.idempotence": str(idempotent).lower(), **(config or {})}
        options = [word for name, value in config.items() for word in ("-X", f"{name}={value}")]
        start = 0
        while start < len(records):
            first = records[start]
            end = start
            while end < len(records) and (records[end].headers, records[end].partition) == (first.headers, first.partition):
                end += 1
            headers = [word for name, data in first.headers for word in ("-H", f"{name}={data.decode()}")]
            lines = b"\n".join((r.key or b"") + NULL_KEY + (r.value or b"") for r in records[start:end])
            self.run("-P", "-b", bootstrap, "-t", topic, "-p", str(first.partition), "-z", codec, "-K", NULL_KEY.decode(),
                     "-Z", *headers, *options, data=lines)
            start = end

    def consume(self, bootstrap, topic, until, start=None, config=None):
        options = [word for name, value in (config or {}).items() for word in ("-X", f"{name}={value}")]
        return {p: self._consume_one(bootstrap, topic, p, (start or {}).get(p, 0), end, options)
                for p, end in until.items()}

    def _consume_one(self, bootstrap, topic, partition, start, end, options):
        if end <= start:
            return []
        deadline = time.monotonic() + RUN_SECONDS_MAX
        out = self.run("-C", "-b", bootstrap, "-t", topic, "-p", str(partition), "-o", str(start), "-c", str(end - start),
                       "-J", "-q", "-e", *options, timeout=deadline - time.monotonic())
        return [self._record(json.loads(line)) for line in out.decode().splitlines()]

    @staticmethod
    def _record(fields):
        flat = fields.get("headers", [])
        encode = lambda text: None if text is None else text.encode()
        return Record(value=encode(fields["payload"]), key=encode(fields.get("key")),
                      headers=tuple((flat[i], encode(flat[i + 1])) for i in range(0, len(flat), 2)),
                      timestamp=fields["ts"], partition=fields["partition"], offset=fields["offset"])
