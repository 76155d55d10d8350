"""Context: runs a client against one broker and adds what the broker used meanwhile.

Throughput counts record batches as sent; MB = 10^6 bytes, GiB = 2^30. A measurement is {metric: number}; report.py
knows the metrics.
"""
import json
import os
import subprocess
import sys
import time

import accounting
import javaclient

RUN_SECONDS_MAX = 900
COMMITTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rawcommit.py")


class Context:
    """`program` is the weir whose `perf` drives both brokers; `volume` the bytes of a full-speed row; `client_cpus`
    pins the clients."""

    def __init__(self, server, program, volume, client_cpus=None):
        self.server = server
        self.program = program
        self.volume = volume
        self.client_cpus = client_cpus
        self._topics = 0

    def of(self, server):
        """The same clients against another broker."""
        return Context(server, self.program, self.volume, self.client_cpus)

    def topic(self, partitions, configs=None):
        self._topics += 1
        name = f"bench-{self._topics}"
        self.server.create_topic(name, partitions, configs)
        return name

    def pin(self):
        return (lambda: os.sched_setaffinity(0, self.client_cpus)) if self.client_cpus else None

    def command(self, what, *names, **options):
        """A command line of `weir perf`; options are its own, with _ for -; True makes a flag."""
        words = [self.program, "perf", what, *names, "--bootstrap", self.server.bootstrap, "--output", "json",
                 "--timeout", f"{RUN_SECONDS_MAX}s"]
        for option, value in options.items():
            words.append("--" + option.replace("_", "-"))
            if value is not True:
                words.append(str(value))
        return words

    def start(self, what, *names, **options):
        return subprocess.Popen(self.command(what, *names, **options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, preexec_fn=self.pin())

    def finish(self, process):
        """The last line that a client printed, as a dictionary."""
        out, problems = process.communicate(timeout=RUN_SECONDS_MAX)
        if process.returncode != 0:
            raise RuntimeError(f"{self.server.name}: {problems.strip()[-2000:]}")
        return json.loads(out.splitlines()[-1])

    def perf(self, what, *names, **options):
        return self.finish(self.start(what, *names, **options))

    def commits(self, topic, **options):
        """What the raw client of committed offsets printed."""
        words = [sys.executable, COMMITTER, "--bootstrap", self.server.bootstrap, "--topic", topic]
        for option, value in options.items():
            words += ["--" + option.replace("_", "-"), str(value)]
        return self.finish(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True, preexec_fn=self.pin()))

    def measured(self, run, warmed_bytes=0):
        """`run` gives what `weir perf` printed; adds what broker and client used."""
        pid = self.server.pid
        if warmed_bytes:
            accounting.back_free_memory(warmed_bytes * 3 // 2)
        accounting.reset_peak(pid)
        counters = self.server.counters()
        written = accounting.bytes_written(pid)
        client = accounting.children_cpu_seconds()
        server = self.server.cpu_seconds()
        begun = time.perf_counter()
        found = run()
        wall = time.perf_counter() - begun
        used = self.server.cpu_seconds() - server
        gib = found["batch_bytes"] / (1 << 30)
        latency = found["latency_ms"]
        result = {"mb_per_s": found["mb_per_s"], "p50_ms": latency["p50"], "p99_ms": latency["p99"],
                  "max_ms": latency["max"], "cpu_s_per_gib": used / gib if gib else 0,
                  "broker_cores": used / wall, "client_cores": (accounting.children_cpu_seconds() - client) / wall,
                  "peak_rss_mib": accounting.peak_rss_mib(pid),
                  "written_per_byte": (accounting.bytes_written(pid) - written) / max(1, found["batch_bytes"])}
        for name, value in self.server.counters().items():
            if value > counters[name]:
                result[name + "_per_gib"] = (value - counters[name]) / gib if gib else 0
        return result

    def produce(self, topic, **options):
        """By pre-encoded batches, at full speed."""
        options = {"raw": True, "bytes": self.volume, **options}
        return self.measured(lambda: self.perf("produce", topic, **options), self.volume)

    def java(self, payload_bytes, record_bytes, partitions=16, **properties):
        records = payload_bytes // record_bytes
        topic = self.topic(partitions)
        properties = {name.replace("_", "."): value for name, value in properties.items()}

        def run():
            found = javaclient.produce(self.server.bootstrap, topic, records, record_bytes, properties,
                                       preexec=self.pin())
            return {"batch_bytes": records * record_bytes, "mb_per_s": found["mb_per_s"],
                    "latency_ms": {"p50": found["p50_ms"], "p99": found["p99_ms"], "max": found["p99_ms"]}}
        return self.measured(run, payload_bytes)
