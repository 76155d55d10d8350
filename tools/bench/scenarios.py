"""What is measured: one function per row of the table, each on a broker that runs already and topics of its own.

A scenario returns {metric: number}. Throughput counts record batches as sent; MB = 10^6 bytes, GiB = 2^30. The broker's
processor time is the operating system's, over exactly the client's run.
"""
import json
import os
import subprocess
import sys
import time

import accounting
import javaclient

HERE = os.path.dirname(os.path.abspath(__file__))
RAW_SECONDS_MAX = 600
IDLE_SECONDS = 5
COMMIT_SECONDS = 5


class Context:
    """`volume` is the number of bytes that a full-speed row moves; `client_cpus` pins the clients."""

    def __init__(self, server, volume, client_cpus=None):
        self.server = server
        self.volume = volume
        self.client_cpus = client_cpus
        self._topics = 0

    def topic(self, partitions):
        self._topics += 1
        name = f"bench-{self._topics}"
        self.server.create_topic(name, partitions)
        return name

    def pin(self):
        return (lambda: os.sched_setaffinity(0, self.client_cpus)) if self.client_cpus else None

    def measured(self, payload_bytes, run):
        """Runs a client and adds what the broker and the client used."""
        pid = self.server.pid
        accounting.back_free_memory(payload_bytes * 3 // 2)
        accounting.reset_peak(pid)
        client = accounting.children_cpu_seconds()
        server = self.server.cpu_seconds()
        begun = time.perf_counter()
        result = run()
        wall = time.perf_counter() - begun
        result["cpu_s_per_gib"] = (self.server.cpu_seconds() - server) / payload_bytes * (1 << 30)
        result["client_cores"] = (accounting.children_cpu_seconds() - client) / wall
        result["peak_rss_mib"] = accounting.peak_rss_mib(pid)
        return result

    def raw(self, what, topic, payload_bytes, **options):
        options = {"topic": topic, "bytes": payload_bytes, **options}
        return self.measured(payload_bytes, lambda: self.program("rawclient.py", [what], options))

    def program(self, name, arguments, options):
        found = self.run(name, arguments, options)
        result = {"p50_ms": found["p50_ms"], "p99_ms": found["p99_ms"]}
        if "seconds" in found:
            result["mb_per_s"] = found["bytes"] / found["seconds"] / 1e6
        return result

    def run(self, name, arguments, options):
        """Runs a raw client; options are its own, with _ for -. What it prints."""
        command = [sys.executable, os.path.join(HERE, name), *arguments, "--bootstrap", self.server.bootstrap]
        for option, value in options.items():
            command += ["--" + option.replace("_", "-"), str(value)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=RAW_SECONDS_MAX, preexec_fn=self.pin())
        if done.returncode != 0:
            raise RuntimeError(f"{self.server.name}: {done.stderr.strip()[-2000:]}")
        return json.loads(done.stdout)

    def java(self, payload_bytes, record_bytes, partitions=16, records_per_second=-1, **properties):
        records = payload_bytes // record_bytes
        topic = self.topic(partitions)
        properties = {name.replace("_", "."): value for name, value in properties.items()}
        return self.measured(records * record_bytes, lambda: javaclient.produce(
            self.server.bootstrap, topic, records, record_bytes, properties, records_per_second, self.pin()))


def warm_up(context):
    """Not measured: a JVM that has compiled nothing yet says little about Kafka."""
    topic = context.topic(16)
    context.raw("produce", topic, 256 << 20, per_request=4)
    context.raw("consume", topic, 128 << 20)


def a_raw(context):
    return context.raw("produce", context.topic(16), context.volume, per_request=4)


def a_java(context):
    return context.java(context.volume, 1024, batch_size=256 << 10, linger_ms=5, enable_idempotence="false")


def b_raw(context):
    return context.raw("produce", context.topic(16), context.volume, per_request=4, record_bytes=100)


def b_java(context):
    return context.java(context.volume // 4, 100, batch_size=256 << 10, linger_ms=5, enable_idempotence="false")


def c_java(context):
    """Ten seconds at 10 MB/s."""
    return context.java(100_000_000, 1000, records_per_second=10_000, linger_ms=5, enable_idempotence="false")


def d_raw(context):
    topic = context.topic(16)
    context.raw("produce", topic, context.volume, per_request=4)
    return context.raw("consume", topic, context.volume * 9 // 10)


def e_raw(context):
    """Ten seconds at 5 MB/s; a batch every 5 ms stands for a client that lingers so long."""
    batches, batch_bytes = 2_000, 25_000
    options = {"topic": context.topic(16), "batch_bytes": batch_bytes, "gap_ms": 5, "batches": batches}
    return context.measured(batches * batch_bytes, lambda: context.program("rawendtoend.py", [], options))


def f_raw(context):
    return context.raw("produce", context.topic(1000), min(context.volume, 512 << 20), partitions=1000, per_request=250,
                       batch_bytes=8 << 10)


def g_java(context):
    return context.java(context.volume, 1024, batch_size=256 << 10, linger_ms=5, enable_idempotence="true")


def h_start(context):
    time.sleep(IDLE_SECONDS)
    return {"exec_to_metadata_ms": context.server.exec_to_metadata_ms, "idle_rss_mib": accounting.rss_mib(context.server.pid)}


def i_raw(context):
    return context.raw("produce", context.topic(1), 2_000 * 1100, partitions=1, connections=1, window=1, batch_bytes=1,
                       record_bytes=1024)


def commits(context, **options):
    """Committed offsets of 64 groups on 64 connections."""
    topic = context.topic(64)
    server, client = context.server.cpu_seconds(), accounting.children_cpu_seconds()
    begun = time.perf_counter()
    found = context.run("rawcommit.py", [], {"topic": topic, "seconds": COMMIT_SECONDS, **options})
    wall = time.perf_counter() - begun
    return {"offsets_per_s": found["offsets"] / found["seconds"], "p50_ms": found["p50_ms"], "p99_ms": found["p99_ms"],
            "cpu_us_per_offset": (context.server.cpu_seconds() - server) / found["offsets"] * 1e6,
            "client_cores": (accounting.children_cpu_seconds() - client) / wall}


def k_raw(context):
    return commits(context)


def k_many(context):
    return commits(context, window=8, per_request=10)


# Row letter, client, what, metrics shown. `h` comes first: it looks at a broker that has served nothing.
THROUGHPUT = ("mb_per_s", "cpu_s_per_gib", "peak_rss_mib", "client_cores")
COMMITS = ("offsets_per_s", "p50_ms", "p99_ms", "cpu_us_per_offset", "client_cores")
LATENCY = ("p50_ms", "p99_ms", "cpu_s_per_gib")
ROWS = {
    "h": (h_start, "exec to first Metadata answer; idle", ("exec_to_metadata_ms", "idle_rss_mib")),
    "a-raw": (a_raw, "produce 1 KiB records, 256 KiB batches, 16 partitions, pre-encoded", THROUGHPUT),
    "a-java": (a_java, "the same by kafka-producer-perf-test", THROUGHPUT),
    "b-raw": (b_raw, "produce 100 B records, 256 KiB batches, 16 partitions, pre-encoded", THROUGHPUT),
    "b-java": (b_java, "the same by kafka-producer-perf-test", THROUGHPUT),
    "c-java": (c_java, "10 MB/s, linger 5 ms: latency of the acknowledgement", LATENCY),
    "d-raw": (d_raw, "consume from the beginning, 1 KiB records", THROUGHPUT),
    "e-raw": (e_raw, "end to end at 5 MB/s, a batch every 5 ms, pre-encoded", LATENCY),
    "f-raw": (f_raw, "produce over 1,000 partitions, 250 x 8 KiB a request, pre-encoded", THROUGHPUT),
    "g-java": (g_java, "as a-java, idempotent", THROUGHPUT),
    "i-raw": (i_raw, "one record in flight", LATENCY),
    "k-raw": (k_raw, "64 connections commit one offset after the other, pre-encoded", COMMITS),
    "k-many": (k_many, "64 connections commit 10 offsets a request, 8 requests in flight, pre-encoded", COMMITS),
}
