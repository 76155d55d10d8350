"""./dev bench: weir and Apache Kafka in turn on this machine, driven by the same clients. README.md has the parts."""
import argparse
import collections
import json
import os
import pathlib
import resource
import shlex
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(ROOT / "tests")]

import accounting  # noqa: E402
import plots  # noqa: E402
import report  # noqa: E402
import servers  # noqa: E402
import slowstore  # noqa: E402
import scenarios  # noqa: E402
from context import Context  # noqa: E402
from harness import installs  # noqa: E402

PAGE = ROOT / "docs/performance.md"
PICTURES = ROOT / "docs/performance"
LAST = PICTURES / "last.json"
WORK = ROOT / "build/bench"
LIMIT_MIB = 1024


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description="Compare weir with Apache Kafka on this machine.")
    parser.add_argument("--rounds", type=int, default=5, help="each round starts both brokers once (default 5)")
    parser.add_argument("--rows", default=",".join(scenarios.ROWS), help="comma-separated; default: %(default)s")
    parser.add_argument("--volume", type=int, default=1024, metavar="MIB", help="moved by a full-speed row (default 1024)")
    parser.add_argument("--servers", default="weir,kafka")
    parser.add_argument("--cores", choices=("free", "pinned", "both"), default="both",
                        help="pinned: broker on the first core, clients on the others (default both)")
    parser.add_argument("--client", metavar="PROGRAM", help="a weir whose `perf` drives both, to measure an older broker")
    parser.add_argument("--write", action="store_true", help="rewrite docs/performance.md, its pictures and the last result")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all values here")
    options = parser.parse_args(arguments)
    options.rows = options.rows.split(",")
    options.servers = options.servers.split(",")
    for row in options.rows:
        if row not in scenarios.ROWS:
            parser.error(f"no row '{row}'; there are {', '.join(scenarios.ROWS)}")
    for name in options.servers:
        if name not in ("weir", "kafka"):
            parser.error(f"no server '{name}'; there are weir and kafka")
    if options.cores != "free" and os.cpu_count() < 2:
        parser.error("pinning needs two cores; --cores free does without")
    return options


def versions(binary):
    weir = subprocess.run([binary, "--version"], capture_output=True, text=True).stdout.strip()
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr.splitlines()[0]
    return f"{weir}; Apache Kafka {installs.KAFKA_VERSION}; {java}"


def command_of(options):
    """What another person types to repeat this; where the results go is their business."""
    words = ["./dev", "bench", "--rounds", str(options.rounds), "--volume", str(options.volume)]
    if options.rows != list(scenarios.ROWS):
        words += ["--rows", ",".join(options.rows)]
    return shlex.join(words + (["--cores", options.cores] if options.cores != "both" else []))


class Bench:
    def __init__(self, options, binary):
        self.options = options
        self.client = options.client or binary
        self.results = {}
        self.limit = collections.defaultdict(list)

    def keep(self, row, server, values):
        print(f"  {server:6} {row:10}", "  ".join(f"{name}={value:.3g}" for name, value in values.items()), flush=True)
        for name, value in values.items():
            self.results.setdefault(row, {}).setdefault(server, {}).setdefault(name, []).append(value)

    def rows(self, wanted):
        return [(name, row) for name, row in scenarios.ROWS.items() if name in self.options.rows and wanted(row)]

    def context(self, server, pinned):
        cores = set(range(1, os.cpu_count())) if pinned else None
        return Context(server, self.client, self.options.volume << 20, cores)

    def shared_turn(self, kind, pinned):
        """One broker from start to stop, through all rows that both brokers have."""
        rows = self.rows(lambda row: row.alone is None and (row.pins or not pinned))
        if not rows:
            return
        with kind(WORK / kind.name, {0} if pinned else None) as server:
            context = self.context(server, pinned)
            warm = False
            for name, row in rows:
                if name != "h" and not warm:
                    scenarios.warm_up(context)
                    warm = True
                self.keep(name + ("/pin" if pinned else ""), kind.name, row.measure(context))

    def lone_turns(self):
        """Rows of weir alone, each on a broker of its own."""
        for name, row in self.rows(lambda row: row.alone is not None):
            os.sync()  # What others left in the page cache is not written at this row's cost.
            arguments = dict(row.alone)
            store = None
            if "store" in arguments:
                store = arguments["s3"] = slowstore.STORES[arguments.pop("store")]()
                store.start()
            try:
                with servers.Weir(WORK / "weir", **arguments) as server:
                    context = self.context(server, False)
                    # What it writes would be merged during the measurement, at the price of requests.
                    if not store:
                        scenarios.warm_up(context)
                    self.keep(name, "weir", row.measure(context))
            finally:
                if store:
                    store.stop()

    def measure_limit(self):
        program = os.path.join(os.path.dirname(self.client), "weir_machine_limit")
        WORK.mkdir(parents=True, exist_ok=True)
        accounting.back_free_memory(LIMIT_MIB << 20)
        done = subprocess.run([program, str(WORK), str(LIMIT_MIB)], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        print("  machine", "  ".join(f"{name}={value:.3g}" for name, value in found.items()), flush=True)
        for name, value in found.items():
            self.limit[name].append(value)

    def run(self, kinds):
        for number in range(self.options.rounds):
            print(f"round {number + 1} of {self.options.rounds}", flush=True)
            self.measure_limit()
            for pinned in {"free": [False], "pinned": [True], "both": [False, True]}[self.options.cores]:
                for kind in kinds:
                    self.shared_turn(kind, pinned)
            if servers.Weir in kinds and self.options.cores != "pinned":
                self.lone_turns()


def prepare(options, binary):
    """The kinds of servers that are wanted, installed."""
    servers.check_release(binary)
    servers.Weir.binary = binary
    if "kafka" in options.servers:
        servers.Kafka.class_path = installs.kafka_server()
    if any(row.endswith("-java") for row in options.rows):
        installs.java()
    # Ten thousand connections need as many descriptors, here and in the brokers.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    return [{"weir": servers.Weir, "kafka": servers.Kafka}[name] for name in options.servers]


def publish(document, options):
    print("\n" + report.table(document))
    if LAST.exists():
        changes = list(report.moved(json.loads(LAST.read_text()), document))
        print("\nsince the last committed result:", "nothing moved" if not changes else "")
        print("\n".join(changes))
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    if options.write:
        names = plots.write(document, PICTURES)
        report.write_markdown(PAGE, document, [f"performance/{name}" for name in names])
        LAST.write_text(json.dumps(document, indent=None, separators=(",", ":")) + "\n")


def main():
    options = parse(sys.argv[1:])
    # Ended from outside, it still stops what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    binary = os.environ.get("WEIR_BIN") or str(ROOT / "build/release/weir")
    try:
        kinds = prepare(options, binary)
    except (RuntimeError, unittest.SkipTest) as error:
        sys.exit(f"bench: {error}")
    bench = Bench(options, binary)
    document = {"machine": accounting.machine(), "load": accounting.load(), "versions": versions(binary),
                "rounds": options.rounds, "volume_mib": options.volume, "command": command_of(options),
                "rows": {name: [row.what, row.metrics] for name, row in scenarios.ROWS.items()},
                "results": bench.results, "limit": bench.limit}
    print(f"{document['machine']}\n{document['versions']}\nload average {document['load']:.1f}")
    if document["load"] > os.cpu_count() / 2:
        print("bench: this machine is busy; the figures will not repeat", file=sys.stderr)
    bench.run(kinds)
    publish(document, options)


if __name__ == "__main__":
    main()
