"""Long-lived client programs: one JSON command a line in, one JSON answer a line out.

Starting a JVM for every step would take most of a test's time. An agent runs until it is closed; an answer with
"error" becomes an AgentError that names the exception the client raised.
"""
import json
import os
import subprocess

from harness import installs
from harness.records import Record
from harness.wait import Lines

CALL_SECONDS_MAX = 180


class AgentError(Exception):
    """`kind` is the class or code of the client's own error, `text` its message."""

    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind = kind
        self.text = text


class Agent:
    def __init__(self, name, command, log_path, codecs, environment=None):
        self.name = name
        self.codecs = codecs
        self._log_path = log_path
        with open(log_path, "ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                             text=True, env={**os.environ, **(environment or {})})
        self._lines = Lines(self._process.stdout)
        self._answers = 0

    def call(self, op, timeout=CALL_SECONDS_MAX, **arguments):
        command = {"op": op, **arguments}
        try:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
            line = self._lines.at(self._answers, timeout, f"{self.name} {op}")
        except (AssertionError, BrokenPipeError) as error:
            self._process.kill()  # A late answer would be taken for that of the next call.
            tail = "\n".join(self._log_path.read_text(errors="replace").splitlines()[-20:])
            raise AssertionError(f"{error}; the log of {self.name} ends:\n{tail}") from None
        self._answers += 1
        answer = json.loads(line)
        if "error" in answer:
            raise AgentError(answer["error"], answer.get("message", ""))
        return answer

    def produce(self, bootstrap, topic, records, codec="none", **options):
        """Offsets in the order of `records`; raises AgentError for the first that was refused.

        Of the options each client knows: idempotent, acks, config (its own names), batch_records.
        """
        answer = self.call("produce", bootstrap=bootstrap, topic=topic, codec=codec,
                           records=[record.to_json() for record in records], **options)
        for result in answer["results"]:
            if "error" in result:
                raise AgentError(result["error"], result.get("message", ""))
        return [result["offset"] for result in answer["results"]]

    def consume(self, bootstrap, topic, until, start=None, **options):
        """Records of each partition of `until` ({partition: end offset}), from `start` ({partition: offset}) or 0."""
        start = {str(p): (start or {}).get(p, 0) for p in until}
        answer = self.call("consume", bootstrap=bootstrap, topic=topic, start=start,
                           until={str(p): end for p, end in until.items()}, **options)
        found = {p: [] for p in until}
        for fields in answer["records"]:
            record = Record.of_json(fields)
            found[record.partition].append(record)
        return found

    def close(self):
        if self._process.poll() is None:
            self._process.stdin.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process.stdout.close()


def java(work, heap="512m"):
    log = work / "java.log"
    command = installs.java_command(
        "Agent", f"-Xmx{heap}", "-XX:TieredStopAtLevel=1", f"-Dorg.slf4j.simpleLogger.logFile={log}",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true")
    return Agent("java", command, log, ["none", "gzip", "snappy", "lz4", "zstd"])


def python(work):
    command = [installs.python(), "-u", str(installs.HERE / "agents/python_agent.py")]
    return Agent("python", command, work / "python.log", ["none", "gzip", "snappy", "lz4", "zstd"])


def node(work):
    command = ["node", str(installs.HERE / "agents/node_agent.js")]
    # No lz4: the pure JavaScript encoder chains its blocks, which Kafka's Java client refuses to read.
    return Agent("node", command, work / "node.log", ["none", "gzip", "snappy", "zstd"],
                 {"NODE_PATH": str(installs.node_modules()), "KAFKAJS_NO_PARTITIONER_WARNING": "1"})
