"""Kafka's own performance client. It costs about a core itself, so where it is at its limit both brokers look alike."""
import re
import subprocess

from harness import installs

RUN_SECONDS_MAX = 600
TOTALS = re.compile(r"^(\d+) records sent, ([\d.]+) records/sec \(([\d.]+) MB/sec\), ([\d.]+) ms avg latency.*?"
                    r"(\d+) ms 50th, (\d+) ms 95th, (\d+) ms 99th", re.MULTILINE)
HEAP = "-Xmx768m"


def produce(bootstrap, topic, records, record_bytes, properties, records_per_second=-1, preexec=None):
    """ProducerPerformance; gives MB/s (10^6 bytes) and latencies. `properties` are the producer's."""
    settings = {"bootstrap.servers": bootstrap, "acks": "all", "buffer.memory": 128 << 20, **properties}
    command = ["java", HEAP, "-XX:+UseParallelGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
               installs.java(), "org.apache.kafka.tools.ProducerPerformance", "--topic", topic, "--num-records",
               str(records), "--record-size", str(record_bytes), "--throughput", str(records_per_second),
               "--command-property", *[f"{name}={value}" for name, value in settings.items()]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, preexec_fn=preexec)
    totals = TOTALS.findall(done.stdout)
    if done.returncode != 0 or not totals or "Exception" in done.stdout + done.stderr:
        raise RuntimeError(f"ProducerPerformance failed:\n{(done.stdout + done.stderr)[-2000:]}")
    sent, rate, _, _, p50, _, p99 = totals[-1]
    if int(sent) != records:
        raise RuntimeError(f"ProducerPerformance sent {sent} of {records} records")
    return {"mb_per_s": float(rate) * record_bytes / 1e6, "p50_ms": float(p50), "p99_ms": float(p99)}
