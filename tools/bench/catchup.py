"""Catch-up read against tail read: one partition, written in small flushes beside fifteen others, is read from the cache, and again by
a broker that has just started, after merges. Prints one JSON line. Goal: catch-up takes at most twice as long.

    WEIR_BIN=build/release/weir python3 tools/bench/catchup.py [--mib 256]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

import servers

HERE = pathlib.Path(__file__).resolve().parent
# Merges begin a minute after a flush.
MERGE_SECONDS_MAX = 300
QUIET_SECONDS = 25


class Weir(servers.Weir):
    def prepare(self):
        self.admin = servers.free_port()

    def command(self):
        return [*super().command()[:-2], "--admin", f"127.0.0.1:{self.admin}"]

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=20) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.split(" ")[0].split("{")[0] == name)


def client(broker, what, topic, partitions, size, *options):
    command = [sys.executable, "-B", str(HERE / "rawclient.py"), what, "--bootstrap", broker.bootstrap, "--topic", topic,
               "--partitions", str(partitions), "--connections", "1", "--bytes", str(size), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(process):
    out, _ = process.communicate()
    if process.returncode != 0:
        sys.exit("catchup: a client failed")
    return json.loads(out)


def read_seconds(broker, size):
    begun = time.perf_counter()
    finished(client(broker, "consume", "one", 1, size))
    return time.perf_counter() - begun


def wait_for_merges(broker):
    """Until nothing has been merged for a while."""
    end = time.monotonic() + MERGE_SECONDS_MAX
    last, since = -1.0, time.monotonic()
    while time.monotonic() < end:
        merged = broker.metric("weir_merge_spans_total")
        if merged != last:
            last, since = merged, time.monotonic()
        if merged > 0 and time.monotonic() - since > QUIET_SECONDS:
            return merged
        time.sleep(1)
    sys.exit("catchup: merges did not end")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--batch-bytes", type=int, default=16 << 10)
    options = parser.parse_args()
    servers.Weir.binary = os.environ["WEIR_BIN"]
    size = options.mib << 20
    with tempfile.TemporaryDirectory(prefix="catchup-") as work:
        store = pathlib.Path(work) / "store"
        store.mkdir()
        with Weir(pathlib.Path(work) / "first", store=store) as broker:
            broker.create_topic("one", 1)
            broker.create_topic("others", 15)
            write = ("--batch-bytes", str(options.batch_bytes))
            producers = [client(broker, "produce", "one", 1, size, *write),
                         client(broker, "produce", "others", 15, size, *write)]
            for producer in producers:
                finished(producer)
            tail = min(read_seconds(broker, size * 9 // 10) for _ in range(3))
            merged = wait_for_merges(broker)
        catch_up = []
        for number in range(3):
            with Weir(pathlib.Path(work) / f"again{number}", store=store) as broker:
                catch_up.append(read_seconds(broker, size * 9 // 10))
    megabytes = size * 0.9 / 1e6
    print(json.dumps({"merged_spans": merged, "tail_mb_s": megabytes / tail, "catch_up_mb_s": megabytes / min(catch_up),
                      "times_slower": min(catch_up) / tail}))


if __name__ == "__main__":
    main()
