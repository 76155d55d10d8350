"""The two brokers that the suite can run against: one process each, empty, with the options of a scenario."""
import contextlib
import sys

from harness import installs
from harness.broker import ROOT
from harness.case import Fleet

import suite

sys.path.insert(0, str(ROOT / "tools/bench"))
import servers  # noqa: E402  knows how a node of Kafka is formatted and started


@contextlib.contextmanager
def weir(name, scenario):
    """Gives the address, the directory for files, and a function that says that these are to be kept."""
    fleet = Fleet(f"librdkafka-{name}")
    keep = []
    try:
        options = [word for option, value in suite.BROKER_OPTIONS[scenario].items() for word in ("--set", f"{option}={value}")]
        yield fleet.broker(options=options).address, fleet.work, lambda: keep.append(True)
    finally:
        complaints = fleet.close(bool(keep))
    if complaints:
        raise AssertionError("; ".join(complaints))


class _Kafka(servers.Kafka):
    options = {}

    def prepare(self):
        super().prepare()
        with open(self._properties, "a") as properties:
            properties.write("".join(f"{option}={value}\n" for option, value in self.options.items()))


@contextlib.contextmanager
def kafka(name, scenario):
    """The same with a node of Apache Kafka."""
    fleet = Fleet(f"librdkafka-{name}-kafka")
    keep = []
    try:
        _Kafka.class_path = installs.kafka_server()
        server = _Kafka(fleet.work / "kafka")
        server.options = suite.BROKER_OPTIONS[scenario]
        with server:
            yield server.bootstrap, fleet.work, lambda: keep.append(True)
    finally:
        fleet.close(bool(keep))


def attempt(tests, name, start, protocol="classic", keep_files=True):
    """The outcome of one run against a broker of its own; a broker that misbehaved makes it a failure.

    `keep_files`: those of a run that fails.
    """
    outcome = suite.Outcome("failed", 0.0)
    number, scenario, _ = suite.split(name)
    try:
        with start(number, scenario) as (bootstrap, work, keep):
            outcome = suite.run(tests, name, bootstrap, work / "test.log", protocol)
            if outcome.state == "failed" and keep_files:
                keep()
    except (AssertionError, RuntimeError) as error:
        return suite.Outcome("failed", outcome.seconds, f"the broker: {error}")
    return outcome
