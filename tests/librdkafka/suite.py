"""librdkafka's own test suite, one of its test numbers at a time.

A number stands for one or more test functions, which test.c lists with flags: those that need no broker are told apart
by the flag TEST_F_LOCAL (the suite is run with -L, which leaves them out), and some need a broker with a certain set of
options (a scenario). A run is one number in one scenario: "0045", "0045/noautocreate"; where a part of a number cannot
pass, its other parts are runs of their own, by a word in the names of its sub-tests: "0081:ListOffsets". A run gets an
empty broker of its own, so that runs can go on side by side; within a run the functions follow each other (-p1), at
full size (no -Q).
"""
import dataclasses
import json
import os
import re
import signal
import subprocess
import time

RUN_SECONDS_MAX = 1800  # the suite watches its own functions; this ends what it cannot
# As in the clusters that librdkafka's own scripts start for it (tests/scenarios, tests/LibrdkafkaTestApp.py).
BROKER_OPTIONS = {"default": {"num.partitions": 4, "auto.create.topics.enable": "true"},
                  "noautocreate": {"num.partitions": 4, "auto.create.topics.enable": "false"}}
TIMEOUT_MULTIPLIER = 2
KAFKA_VERSION = "4.4.0"
ENTRY = re.compile(r"_TEST\(((\d{4})_\w+),(.*)", re.DOTALL)
FAILURE = re.compile(r"### Test \"(.*?)\" failed at (\S+?):\d+:.*?###\n(.*)")
SKIPPED = re.compile(r"SKIPPING TEST: (.*)")


def table(tests):
    """The runs that test.c has, each with the names of its functions that need a broker; and the numbers that need none."""
    source = re.sub(r"/\*.*?\*/", "", (tests / "test.c").read_text(), flags=re.DOTALL)
    runs, local = {}, set()
    entries = source.partition("struct test tests[] = {")[2].partition("{NULL}")[0]
    for entry in re.split(r"^(?= {4}_TEST\()", entries, flags=re.MULTILINE)[1:]:
        name, number, rest = ENTRY.search(entry).groups()
        if "TEST_F_MANUAL" in rest:
            continue
        if "TEST_F_LOCAL" in rest:
            local.add(number)
            continue
        scenario = "noautocreate" if 'scenario = "noautocreate"' in rest else "default"
        runs.setdefault(number if scenario == "default" else f"{number}/{scenario}", []).append(name)
    return runs, local - {run[:4] for run in runs}


def split(run):
    """(number, scenario, part of the number or "")"""
    number, scenario, part = re.fullmatch(r"(\d{4})(?:/(\w+))?(?::(\w+))?", run).groups()
    return number, scenario or "default", part or ""


@dataclasses.dataclass
class Outcome:
    state: str  # passed, failed or skipped
    seconds: float
    reason: str = ""


def _reason(log, status):
    found = FAILURE.findall(log)
    if found:
        where = f"{found[0][0]}: " if "(" in found[0][0] else ""
        return re.sub(r"\s+", " ", f"{where}{found[0][2]}").strip()
    last = (log.strip().splitlines() or ["no output"])[-1]
    return f"{f'ended by {signal.Signals(-status).name}' if status < 0 else f'exit status {status}'}: {last}"


def _judge(report, log, status, seconds, part):
    try:
        states = [test["state"] for name, test in json.loads(report.read_text())["tests"].items()
                  if name != "<MAIN>" and test["duration"] > 0]
    except (OSError, ValueError):
        states = []
    if status != 0:
        return Outcome("failed", seconds, _reason(log, status))
    if part and not re.search(rf"\[ .*{part}.*: PASS", log):
        return Outcome("skipped", seconds, f"no sub-test is called {part}")
    skips = "; ".join(dict.fromkeys(text.strip() for text in SKIPPED.findall(log)
                                    if "negative test flags" not in text))
    if "PASSED" in states:
        return Outcome("passed", seconds, skips and f"in part: {skips}")
    return Outcome("skipped", seconds, skips or "no function ran")


def run(tests, name, bootstrap, log_path, protocol="classic"):
    """Runs `name` against the broker at `bootstrap`; `protocol` is that of the consumer groups."""
    number, scenario, part = split(name)
    work = log_path.parent
    configuration, report = work / f"{log_path.stem}.conf", work / f"{log_path.stem}.json"
    configuration.write_text(f"bootstrap.servers={bootstrap}\ntest.timeout.multiplier={TIMEOUT_MULTIPLIER}\n")
    report.unlink(missing_ok=True)
    environment = {**os.environ, "TESTS": number, "TEST_SCENARIO": scenario, "TEST_REPORT": str(report),
                   "TEST_KAFKA_VERSION": KAFKA_VERSION, "RDKAFKA_TEST_CONF": str(configuration), "BROKERS": bootstrap,
                   "LD_LIBRARY_PATH": "../src:../src-cpp",
                   "KAFKA_PATH": str(tests.parent.parent / "kafka"), "TEST_CONSUMER_GROUP_PROTOCOL": protocol}
    if part:
        environment["SUBTESTS"] = part
    begun = time.monotonic()
    with open(log_path, "wb") as log:
        process = subprocess.Popen(["./test-runner", "-p1", "-L", "-K"], cwd=tests, env=environment, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            status = process.wait(RUN_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end_group(process)
    seconds = time.monotonic() - begun
    for left in tests.glob(f"stats_{number}_*.json"):
        left.unlink()
    if status is None:
        return Outcome("failed", seconds, f"did not end within {RUN_SECONDS_MAX} s")
    return _judge(report, log_path.read_text(errors="replace"), status, seconds, part)


def _end_group(process):
    """Also the Java programs that a test that failed leaves behind."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
