"""The rows on an S3 test server, of weir alone: as slow as S3 (j), very many partitions (k), compressed storage (m)."""
import json
import subprocess
import time

import accounting
import latencylaw
import servers

STEADY_BYTES_PER_S = 50_000_000
STEADY_SECONDS = 60
# More than the greatest latency holds at that rate, so that requests leave when they are due.
STEADY_CONNECTIONS, STEADY_WINDOW = 16, 20

MANY, FEW = 100_000, 1_000
PRODUCERS, CONSUMERS = 1_000, 100
RECORDS_PER_S = 1_000
MANY_RECORD_BYTES = 100
# All of it before the first merges, which come a minute after a record.
MANY_SECONDS = 45
SETTLE_SECONDS = 5
# Consumers read on for so long, to have what was acknowledged last.
AFTER_SECONDS = 20
OPENING_SECONDS_MAX = 300

STREAM_RECORD_BYTES = 230
STREAM_CONNECTIONS, STREAM_WINDOW = 8, 10
STREAM_SECONDS_MAX = 600
# 11 Gbps of records.
STREAM_MONTH = "1375MB"


def j_s3(context):
    """50 MB/s into a store that is as slow as S3, against what the law and the broker's windows add up to."""
    server = context.server
    model = latencylaw.acknowledgement(latencylaw.s3(), latencylaw.flushes_of(server.printed_config()),
                                       STEADY_BYTES_PER_S)
    topic = context.topic(STEADY_CONNECTIONS)

    def used():
        return [server.driver_cpu_seconds(), server.store_cpu_seconds(), accounting.cpu_seconds(server.s3.proxy_pid)]
    before = used()
    found = context.measured(lambda: context.perf(
        "produce", topic, raw=True, rate=f"{STEADY_BYTES_PER_S}B", partitions_per_request=1,
        connections=STEADY_CONNECTIONS, window=STEADY_WINDOW, duration=f"{STEADY_SECONDS}s"))
    driver, store, proxy = (now - then for now, then in zip(used(), before))
    gib = STEADY_BYTES_PER_S * STEADY_SECONDS / (1 << 30)
    return {**found, "model_p50_ms": model.p50 * 1e3, "model_p99_ms": model.p99 * 1e3,
            "p50_by_model": found["p50_ms"] / 1e3 / model.p50, "p99_by_model": found["p99_ms"] / 1e3 / model.p99,
            "driver_cpu_s_per_gib": driver / gib, "store_cpu_s_per_gib": store / gib,
            "proxy_cores": proxy / STEADY_SECONDS}


def wait_for_records(server, before):
    until = time.monotonic() + OPENING_SECONDS_MAX
    while server.flushed_bytes() == before:
        if time.monotonic() > until:
            raise RuntimeError("no record arrived")
        time.sleep(0.2)


def trickle(context, partitions):
    """A thousand producers with a record a second each, a hundred consumers that share all partitions.

    Keys spread the records, so that nearly every batch is one record, on a connection of its own. What the broker uses
    is counted while all of them are at work, not while they come or go.
    """
    server = context.server
    before = server.flushed_bytes()
    topic = context.topic(partitions)
    accounting.reset_peak(server.pid)
    produced_seconds = MANY_SECONDS + 2 * SETTLE_SECONDS
    consumers = context.start("consume", topic, connections=CONSUMERS,
                              duration=f"{produced_seconds + AFTER_SECONDS}s")
    producers = context.start("produce", topic, connections=PRODUCERS, rate=f"{RECORDS_PER_S * MANY_RECORD_BYTES}B",
                              record_bytes=MANY_RECORD_BYTES, keys="uniform", key_count=10 * MANY,
                              duration=f"{produced_seconds}s")
    try:
        wait_for_records(server, before)
        time.sleep(SETTLE_SECONDS)
        used, counted, begun = server.cpu_seconds(), server.counters(), time.perf_counter()
        time.sleep(MANY_SECONDS)
        took = time.perf_counter() - begun
        used, now = server.cpu_seconds() - used, server.counters()
        produced, consumed = context.finish(producers), context.finish(consumers)
    finally:
        for client in (producers, consumers):
            client.kill()
    return {"records_per_s": produced["per_second"], "read_share": consumed["records"] / produced["records"],
            "p50_ms": produced["latency_ms"]["p50"], "p99_ms": produced["latency_ms"]["p99"],
            "broker_cores": used / took, "peak_rss_mib": accounting.peak_rss_mib(server.pid),
            "store_requests_per_s": (now["store_requests"] - counted["store_requests"]) / took}


def k_many(context):
    """The same load on 1,000 partitions of another broker first: what the store is asked may not differ."""
    server = context.server
    with servers.Weir(server.directory.with_name("weir-few"), server.cpus, s3=server.s3) as other:
        few = trickle(context.of(other), FEW)
    many = trickle(context, MANY)
    return {**many, "few_broker_cores": few["broker_cores"],
            "store_requests_by_few": many["store_requests_per_s"] / few["store_requests_per_s"]}


def month_of(program, stored_share):
    """What `weir cost` prints for a month of the stream, and the dollars."""
    command = [program, "cost", "--load", STREAM_MONTH, "--stored-percent", str(max(1, round(stored_share * 100)))]
    text, values = (subprocess.run([*command, *more], capture_output=True, text=True, check=True).stdout
                    for more in ([], ["--json"]))
    return f"{' '.join(['weir', *command[1:]])}\n{text}", json.loads(values)["dollars_per_month"]["total"]


def m_stream(context):
    """As fast as it goes, in and out at once. The broker's processor time is that for both."""
    server = context.server
    topic = context.topic(16, {"weir.storage.compression": "zstd"})
    store, written = server.store_cpu_seconds(), server.stored_bytes()
    read = {}

    def run():
        # A time, for without one it would end where the topic ends now.
        consumer = context.start("consume", topic, connections=STREAM_CONNECTIONS, bytes=context.volume,
                                 duration=f"{STREAM_SECONDS_MAX}s")
        try:
            produced = context.perf("produce", topic, raw=True, record_bytes=STREAM_RECORD_BYTES, bytes=context.volume,
                                    connections=STREAM_CONNECTIONS, window=STREAM_WINDOW)
            read.update(context.finish(consumer))
        finally:
            consumer.kill()
        return produced
    found = context.measured(run, context.volume)
    gib = context.volume / (1 << 30)
    stored = (server.stored_bytes() - written) / context.volume
    text, dollars = month_of(context.program, stored)
    print(text, flush=True)
    # Batches are a little larger than their values, which is what both sides were told to move.
    moved = min(read["batch_bytes"] / context.volume, 1)
    return {**found, "out_mb_per_s": read["mb_per_s"], "stored_percent": stored * 100, "month_usd": dollars,
            "in_out_mb_per_core": moved * (1 << 30) / 1e6 / found["cpu_s_per_gib"],
            "store_cpu_s_per_gib": (server.store_cpu_seconds() - store) / gib}
