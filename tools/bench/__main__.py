"""./dev bench: weir and Apache Kafka in turn on this machine, driven by the same clients. README.md has the parts."""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(ROOT / "tests")]

import accounting  # noqa: E402
import report  # noqa: E402
import scenarios  # noqa: E402
import servers  # noqa: E402
from harness import installs  # noqa: E402


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description="Compare weir with Apache Kafka on this machine.")
    parser.add_argument("--rounds", type=int, default=3, help="each round starts both brokers once (default 3)")
    parser.add_argument("--rows", default=",".join(scenarios.ROWS), help="comma-separated; default: %(default)s")
    parser.add_argument("--volume", type=int, default=1024, metavar="MIB", help="moved by a full-speed row (default 1024)")
    parser.add_argument("--servers", default="weir,kafka")
    parser.add_argument("--pin", action="store_true", help="broker on the first core, clients on the others")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="rewrite the generated section of this page")
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
    return options


def versions(binary):
    weir = subprocess.run([binary, "--version"], capture_output=True, text=True).stdout.strip() if binary else "no weir"
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr.splitlines()[0]
    return f"{weir}; Apache Kafka {installs.KAFKA_VERSION}; {java}"


def command_of(options):
    """What another person types to repeat this; where the results go is their business."""
    words = ["./dev", "bench", "--rounds", str(options.rounds), "--volume", str(options.volume)]
    if options.rows != list(scenarios.ROWS):
        words += ["--rows", ",".join(options.rows)]
    return shlex.join(words + (["--pin"] if options.pin else []))


def one_turn(kind, options, cores, results):
    """One broker from start to stop, through all rows."""
    with kind(ROOT / "build/bench" / kind.name, {0} if options.pin else None) as server:
        context = scenarios.Context(server, options.volume << 20, set(range(1, cores)) if options.pin else None)
        warm = False
        for row in [row for row in scenarios.ROWS if row in options.rows]:
            measure = scenarios.ROWS[row][0]
            if row != "h" and not warm:
                scenarios.warm_up(context)
                warm = True
            values = measure(context)
            print(f"  {kind.name:6} {row:7}", "  ".join(f"{name}={value:.2f}" for name, value in values.items()),
                  flush=True)
            for name, value in values.items():
                results.setdefault(row, {}).setdefault(kind.name, {}).setdefault(name, []).append(value)


def main():
    options = parse(sys.argv[1:])
    cores = os.cpu_count()
    if options.pin and cores < 2:
        sys.exit("bench: --pin needs two cores")
    binary = os.environ.get("WEIR_BIN") or str(ROOT / "build/release/weir")
    try:
        if "weir" in options.servers:
            servers.check_release(binary)
            servers.Weir.binary = binary
        if "kafka" in options.servers:
            servers.Kafka.class_path = installs.kafka_server()
        installs.java()
    except (RuntimeError, unittest.SkipTest) as error:
        sys.exit(f"bench: {error}")
    kinds = [{"weir": servers.Weir, "kafka": servers.Kafka}[name] for name in options.servers]
    document = {"machine": accounting.machine(), "load": accounting.load(), "versions": versions(servers.Weir.binary),
                "rounds": options.rounds, "volume_mib": options.volume, "rows": scenarios.ROWS, "results": {},
                "pinned": f"broker on core 0, clients on cores 1-{cores - 1}" if options.pin else "",
                "command": command_of(options), "priority": os.getpriority(os.PRIO_PROCESS, 0)}
    print(f"{document['machine']}\n{document['versions']}\nload average {document['load']:.1f}")
    if document["load"] > cores / 2:
        print("bench: this machine is busy; the figures will not repeat", file=sys.stderr)
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}")
        for kind in kinds:
            one_turn(kind, options, cores, document["results"])
    print("\n" + report.table(document["results"], scenarios.ROWS))
    if options.markdown:
        report.write_markdown(options.markdown, document)
    if options.json:
        document["rows"] = {row: what for row, (_, what, _) in scenarios.ROWS.items()}
        options.json.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
