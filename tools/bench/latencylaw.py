"""How long a request to S3 takes: the law of `LatencyStore`, read from its header, so that the simulation and the bench
have one; and what that law and the broker's windows add up to for an acknowledgement.

A wait is log-normal, given by its median and its 99th percentile. Seconds everywhere.
"""
import bisect
import dataclasses
import math
import pathlib
import random
import re

HEADER = pathlib.Path(__file__).resolve().parents[2] / "src/objstore/latency_store.h"
# How many sigmas the 99th percentile of a normal distribution lies above its median.
SIGMAS_OF_P99 = 2.3263
MODEL_DRAWS = 50_000
# docs/adr/0013-flush-policy.md: writes a second that a lone broker aims at, of its budget and for each MB/s of load.
SHARE_OF_WRITES = 0.8
WRITES_PER_BYTE = 0.5e-6

POINTS = r"\{\s*(\d+)ms,\s*(\d+)ms\s*\}"
SIZED = r"\{\s*(\d+)u << (\d+),\s*" + POINTS + r"\s*\}"


@dataclasses.dataclass(frozen=True)
class Points:
    p50: float
    p99: float

    def draw(self, rng):
        return self.p50 * math.exp(math.log(self.p99 / self.p50) / SIGMAS_OF_P99 * rng.gauss(0, 1))


@dataclasses.dataclass(frozen=True)
class Law:
    """`write_sizes` are [(bytes, Points)] of puts, by rising size."""
    read: Points
    list: Points
    write_sizes: tuple
    bytes_per_second: float

    def of_put(self, size):
        """Between two sizes by a straight line, which goes on above the greatest."""
        sizes = [bytes_ for bytes_, _ in self.write_sizes]
        if size <= sizes[0]:
            return self.write_sizes[0][1]
        upper = min(max(1, bisect.bisect_left(sizes, size)), len(sizes) - 1)
        (low, at_low), (high, at_high) = self.write_sizes[upper - 1:upper + 1]
        part = (size - low) / (high - low)
        return Points(at_low.p50 + part * (at_high.p50 - at_low.p50), at_low.p99 + part * (at_high.p99 - at_low.p99))

    def of_request(self, method, size):
        if method == "PUT":
            return self.of_put(size)
        return self.read if method in ("GET", "HEAD") else self.list


def _points(found):
    return Points(int(found[0]) / 1e3, int(found[1]) / 1e3)


def parse(text):
    """The law that the header calls `s3_by_size`."""
    body = re.search(r"s3_by_size\(\) \{(.*?)\n  \}\n", text, re.DOTALL)
    rate = re.search(r"bytes_per_second = ([\d']+);", text)
    fields = {name: re.search(rf"\.{name} = {POINTS}", body.group(1) if body else "") for name in ("read", "list")}
    sizes = re.findall(SIZED, body.group(1)) if body else []
    if not (rate and all(fields.values()) and sizes):
        raise RuntimeError(f"{HEADER.name} no longer states the law of S3 as this program reads it")
    return Law(*(_points(match.groups()) for match in fields.values()),
               tuple((int(count) << int(shift), _points(rest)) for count, shift, *rest in sizes),
               float(rate.group(1).replace("'", "")))


def s3():
    return parse(HEADER.read_text())


@dataclasses.dataclass(frozen=True)
class Flushes:
    """What a broker was told, or does by itself on S3."""
    window_min: float
    window_max: float
    segment_bytes: int
    inline_bytes: int
    requests_per_second: float

    def window(self, bytes_per_second):
        """Of a lone broker."""
        rate = SHARE_OF_WRITES * self.requests_per_second + WRITES_PER_BYTE * bytes_per_second
        inline = bytes_per_second * min(max(1 / rate, self.window_min), self.window_max) <= self.inline_bytes
        return min(max((1 if inline else 2) / rate, self.window_min), self.window_max)


@dataclasses.dataclass(frozen=True)
class Acknowledgement:
    p50: float
    p99: float


def acknowledgement(law, flushes, bytes_per_second, seed=1):
    """What one takes at best: half a window, the put of the flush, half a create that is under way, and its own.

    p50 is the sum of the medians, p99 that of the sum of independent draws.
    """
    window = flushes.window(bytes_per_second)
    flushed = window * bytes_per_second
    create = law.of_put(0)
    if flushed <= flushes.inline_bytes:
        create, puts = law.of_put(flushed), []
    else:
        count = math.ceil(flushed / flushes.segment_bytes)
        puts = [law.of_put(flushed / count)] * count
    rng = random.Random(seed)
    sums = sorted(rng.random() * window + max((put.draw(rng) for put in puts), default=0)
                  + rng.random() * create.draw(rng) + create.draw(rng) for _ in range(MODEL_DRAWS))
    median = window / 2 + (puts[0].p50 if puts else 0) + create.p50 / 2 + create.p50
    return Acknowledgement(median, sums[int(MODEL_DRAWS * 0.99)])


SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0}
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 10 ** 3, "KB": 10 ** 3, "MB": 10 ** 6}


def _quantity(text):
    """A number with its unit, in seconds or bytes."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z]*)", text)
    if not found or found.group(2) not in {"", *SECONDS, *BYTES}:
        raise RuntimeError(f"'{text}' is no quantity that this program reads")
    return float(found.group(1)) * {"": 1, **SECONDS, **BYTES}[found.group(2)]


def flushes_of(printed):
    """From what `weir broker --print-config` prints; where an option is not given, the value that it names for S3."""
    options = dict(line.split(" = ", 1) for line in printed.splitlines() if " = " in line)

    def value(name):
        text = options[name].partition("  #")[0]
        by_store = re.search(r"([\d.]+[A-Za-z]*) for S3\b(?! Express)", text)
        return _quantity(by_store.group(1) if by_store else text)
    return Flushes(value("flush-interval-min"), value("flush-interval-max"), int(value("segment-bytes")),
                   int(value("inline-bytes")), value("request-budget"))
