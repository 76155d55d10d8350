"""What is measured: one function per row of the table, each on a broker that runs already and topics of its own.

Rows end with the name of their client: `raw` = pre-encoded batches, `rec` = records gathered as a client does, both of
`weir perf`; `java` = Kafka's own. A row of weir alone has no counterpart in Kafka.
"""
import collections
import time

import accounting
import storerows
import targets

IDLE_SECONDS = 5
COMMIT_SECONDS = 5
LATENCY_SECONDS = 10
IDLE_CONNECTIONS = 10_000
NEW_CONNECTIONS_PER_S = 1_000


def warm_up(context):
    """Not measured: a JVM that has compiled nothing yet says little about Kafka."""
    topic = context.topic(16)
    context.perf("produce", topic, raw=True, bytes=256 << 20, window=2)
    context.perf("consume", topic)
    context.perf("e2e", topic, rate="5MB", duration="3s", linger="1ms")


def h_start(context):
    time.sleep(IDLE_SECONDS)
    return {"exec_to_metadata_ms": context.server.exec_to_metadata_ms,
            "idle_rss_mib": accounting.rss_mib(context.server.pid)}


def h_memory(context):
    """On a broker with --memory 256MiB: the greatest size over produce, consume and many partitions."""
    peaks = [context.produce(context.topic(16))["peak_rss_mib"], d_raw(context)["peak_rss_mib"],
             f_raw(context)["peak_rss_mib"]]
    return {"peak_rss_mib": max(peaks)}


# weir's cache has 30 % of --memory, which is 4 GiB at most by default.
MORE_THAN_CACHED = 1536 << 20


def a_raw(context):
    return context.produce(context.topic(16))


def a_rec(context):
    topic = context.topic(16)
    return context.measured(lambda: context.perf("produce", topic, bytes=context.volume), context.volume)


def a_java(context):
    return context.java(context.volume, 1024, batch_size=256 << 10, linger_ms=5, enable_idempotence="false")


def b_raw(context):
    return context.produce(context.topic(16), record_bytes=100)


def b_java(context):
    return context.java(context.volume // 4, 100, batch_size=256 << 10, linger_ms=5, enable_idempotence="false")


def c_rec(context):
    topic = context.topic(16)
    return context.measured(lambda: context.perf("produce", topic, rate="10MB", linger="5ms",
                                                 duration=f"{LATENCY_SECONDS}s"))


def d_raw(context):
    """What was just written, so from memory: that of weir, the page cache for Kafka."""
    topic = context.topic(16)
    context.produce(topic)
    return context.measured(lambda: context.perf("consume", topic))


def d_disk(context):
    """As d-raw, but nothing of it is left in memory: other records came later, and the page cache was emptied."""
    topic = context.topic(16)
    context.produce(topic)
    context.produce(context.topic(16), bytes=MORE_THAN_CACHED)
    accounting.forget_cached_files(context.server.directory)
    return context.measured(lambda: context.perf("consume", topic))


def end_to_end(linger):
    def measure(context):
        topic = context.topic(16)
        return context.measured(lambda: context.perf("e2e", topic, rate="5MB", linger=linger,
                                                     duration=f"{LATENCY_SECONDS}s"))
    return measure


def f_raw(context):
    volume = min(context.volume, 512 << 20)
    return context.produce(context.topic(1000), bytes=volume, partitions_per_request=250, batch_bytes="8KiB")


def g_raw(context):
    return context.produce(context.topic(16), idempotent=True)


def g_java(context):
    return context.java(context.volume, 1024, batch_size=256 << 10, linger_ms=5, enable_idempotence="true")


def i_raw(context):
    topic = context.topic(1)
    found = context.measured(lambda: context.perf("produce", topic, raw=True, connections=1, window=1, batch_bytes=1,
                                                  duration="5s"))
    return {**found, "p50_us": found["p50_ms"] * 1000, "p99_us": found["p99_ms"] * 1000}


def commits(context, **options):
    """Committed offsets of 64 groups on 64 connections."""
    topic = context.topic(64)
    server, client = context.server.cpu_seconds(), accounting.children_cpu_seconds()
    begun = time.perf_counter()
    found = context.commits(topic, seconds=COMMIT_SECONDS, **options)
    wall = time.perf_counter() - begun
    return {"offsets_per_s": found["offsets"] / found["seconds"], "p50_ms": found["p50_ms"], "p99_ms": found["p99_ms"],
            "cpu_us_per_offset": (context.server.cpu_seconds() - server) / found["offsets"] * 1e6,
            "client_cores": (accounting.children_cpu_seconds() - client) / wall}


def o_one(context):
    return commits(context)


def o_many(context):
    return commits(context, window=8, per_request=10)


def idle_connections(context):
    """The broker's memory with many idle connections, by connection."""
    before = accounting.rss_mib(context.server.pid)
    client = context.start("connect", connections=IDLE_CONNECTIONS, hold="5s")
    client.stdout.readline()
    time.sleep(2)
    held = accounting.rss_mib(context.server.pid)
    context.finish(client)
    return {"kib_per_connection": (held - before) * 1024 / IDLE_CONNECTIONS}


def new_connections(context):
    """Latency of a steady 1 MB/s while connections come and go, over that of the same without."""
    topic = context.topic(16)
    load = {"rate": "1MB", "linger": "1ms", "duration": "8s"}
    alone = context.perf("produce", topic, **load)
    visitors = context.start("connect", connections=0, rate=NEW_CONNECTIONS_PER_S, hold="8s")
    beside = context.perf("produce", topic, **load)
    visits = context.finish(visitors)
    return {"p99_ms": beside["latency_ms"]["p99"], "p99_alone_ms": alone["latency_ms"]["p99"],
            "connect_p99_ms": visits["latency_ms"]["p99"]}


SPEED = ("mb_per_s", "cpu_s_per_gib", "peak_rss_mib", "client_cores", "written_per_byte", "store_requests_per_gib",
         "store_usd_per_gib")
LATENCY = ("p50_ms", "p99_ms", "cpu_s_per_gib", "broker_cores")
COMMITS = ("offsets_per_s", "p50_ms", "p99_ms", "cpu_us_per_offset", "client_cores")
# `alone`: only weir, on a broker of its own with these arguments; `pins`: also measured with a core for each side.
Row = collections.namedtuple("Row", "measure what metrics alone pins", defaults=(None, False))
# `h` comes first: it looks at a broker that has served nothing.
ROWS = {
    "h": Row(h_start, "exec to first Metadata answer; idle", ("exec_to_metadata_ms", "idle_rss_mib")),
    "a-raw": Row(a_raw, "produce 1 KiB records, 256 KiB batches, 16 partitions, pre-encoded", SPEED, pins=True),
    "a-rec": Row(a_rec, "the same, records gathered by the client", SPEED),
    "a-java": Row(a_java, "the same by kafka-producer-perf-test", SPEED),
    "b-raw": Row(b_raw, "produce 100 B records, 256 KiB batches, 16 partitions, pre-encoded", SPEED, pins=True),
    "b-java": Row(b_java, "the same by kafka-producer-perf-test", SPEED),
    "c-rec": Row(c_rec, "10 MB/s, linger 5 ms: latency of the acknowledgement", LATENCY),
    "c-sync": Row(c_rec, "the same with sync=always", LATENCY, alone={"sync": True}),
    "d-raw": Row(d_raw, "consume from the beginning, 1 KiB records", SPEED, pins=True),
    "d-disk": Row(d_disk, "the same, page cache emptied before", SPEED),
    "e-5ms": Row(end_to_end("5ms"), "end to end at 5 MB/s, linger 5 ms", LATENCY),
    "e-0ms": Row(end_to_end("0"), "end to end at 5 MB/s, linger 0", LATENCY),
    "f-raw": Row(f_raw, "produce over 1,000 partitions, 250 x 8 KiB a request, pre-encoded", SPEED, pins=True),
    "g-raw": Row(g_raw, "as a-raw, idempotent", SPEED, pins=True),
    "g-java": Row(g_java, "as a-java, idempotent", SPEED),
    "i-raw": Row(i_raw, "one record in flight", ("p50_us", "p99_us", "broker_cores"), pins=True),
    "l-idle": Row(idle_connections, f"{IDLE_CONNECTIONS:,} idle connections", ("kib_per_connection",)),
    "l-new": Row(new_connections, f"{NEW_CONNECTIONS_PER_S:,} new connections a second beside 1 MB/s",
                 ("p99_ms", "p99_alone_ms", "connect_p99_ms")),
    "o-one": Row(o_one, "64 connections commit one offset after the other, pre-encoded", COMMITS),
    "o-many": Row(o_many, "64 connections commit 10 offsets a request, 8 requests in flight, pre-encoded", COMMITS),
    "h-mem": Row(h_memory, "a, d and f with --memory 256MiB", ("peak_rss_mib",), alone={"memory": "256MiB"}),
    "j-s3": Row(storerows.j_s3, "50 MB/s to versitygw behind the latency of S3",
                ("p50_ms", "model_p50_ms", "p50_by_model", "p99_ms", "model_p99_ms", "p99_by_model", "mb_per_s",
                 "cpu_s_per_gib", "driver_cpu_s_per_gib", "peak_rss_mib", "store_cpu_s_per_gib", "proxy_cores",
                 "store_requests_per_gib", "store_usd_per_gib"), alone={"store": "slow-s3"}),
    "k-many": Row(storerows.k_many, "100,000 partitions on versitygw, 1,000 producers with a record a second each, 100 "
                  "consumers; the broker on one core",
                  ("records_per_s", "read_share", "p50_ms", "p99_ms", "broker_cores", "few_broker_cores", "peak_rss_mib",
                   "store_requests_per_s", "store_requests_by_few"), alone={"store": "s3", "cpus": {0}}),
    "m-stream": Row(storerows.m_stream, "blob stream: 230 B records uncompressed, stored as zstd on versitygw, in and out "
                    "at once", ("in_out_mb_per_core", "mb_per_s", "out_mb_per_s", "cpu_s_per_gib", "peak_rss_mib",
                                "client_cores", "stored_percent", "store_cpu_s_per_gib", "store_requests_per_gib",
                                "month_usd"), alone={"store": "s3"}),
}
assert set(targets.TARGETS) <= {*ROWS, *(row + "/pin" for row in ROWS)}
