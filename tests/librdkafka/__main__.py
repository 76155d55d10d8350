"""Runs numbers of librdkafka's suite by hand: python3 tests/librdkafka [--kafka] [--jobs N] [--protocol P] RUN…

A RUN is a number, with /noautocreate for that scenario; "all" means those that need a broker. --kafka takes a node of
Apache Kafka in place of weir.
"""
import argparse
import concurrent.futures
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import brokers  # noqa: E402
import suite  # noqa: E402
from harness import installs  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kafka", action="store_true", help="against Apache Kafka")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--protocol", choices=("classic", "consumer"), default="classic", help="of consumer groups")
    parser.add_argument("runs", nargs="+")
    arguments = parser.parse_args()
    tests = installs.librdkafka_tests()
    runs, _ = suite.table(tests)
    names = list(runs) if arguments.runs == ["all"] else arguments.runs
    start = brokers.kafka if arguments.kafka else brokers.weir
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = {pool.submit(brokers.attempt, tests, name, start, arguments.protocol): name for name in names}
        for done in concurrent.futures.as_completed(waiting):
            outcome = done.result()
            print(f"{waiting[done]:32} {outcome.state:8} {outcome.seconds:6.1f} s  {outcome.reason}", flush=True)


if __name__ == "__main__":
    main()
