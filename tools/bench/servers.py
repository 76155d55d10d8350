"""The two brokers under test: one process each, on an empty directory, with default settings.

Kafka runs as the start script of its distribution runs it: KRaft, broker and controller in one process, 1 GiB of heap,
G1. It syncs nothing to disk by default, so weir gets `?sync=none`. A server is used in a `with` block.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import time

import accounting
import rawwire

READY_SECONDS_MAX = 120
STOP_SECONDS_MAX = 60
STORE_THREAD = "store"
KAFKA_PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={directory}/data
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
KAFKA_JVM = ["-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
             "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true",
             "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`command` is set by the subclass. `exec_to_metadata_ms` is known after the start."""

    name = ""

    def __init__(self, directory, cpus=None):
        self.directory = pathlib.Path(directory)
        self.port = free_port()
        self.cpus = cpus
        self.exec_to_metadata_ms = None
        self._process = None

    @property
    def bootstrap(self):
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self):
        return self._process.pid

    def command(self):
        raise NotImplementedError

    def prepare(self):
        pass

    def environment(self):
        """None = this process's."""
        return None

    def __enter__(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.prepare()
        command = self.command()
        with open(self.directory / "log.txt", "wb") as log:
            begun = time.perf_counter()
            pin = (lambda: os.sched_setaffinity(0, self.cpus)) if self.cpus else None
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=pin,
                                             env=self.environment())
        try:
            self._wait_for_metadata(begun)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait_for_metadata(self, begun):
        while True:
            try:
                connection = rawwire.Connection(self.bootstrap)
                rawwire.any_metadata(connection)
                self.exec_to_metadata_ms = (time.perf_counter() - begun) * 1000
                connection.close()
                return
            except (OSError, rawwire.WireError):
                pass
            if self._process.poll() is not None or time.perf_counter() - begun > READY_SECONDS_MAX:
                log = (self.directory / "log.txt").read_text(errors="replace")
                raise RuntimeError(f"{self.name} did not start:\n{log[-3000:]}")
            time.sleep(0.001)

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def connection(self):
        return rawwire.Connection(self.bootstrap)

    def create_topic(self, topic, partitions, configs=None):
        """Returns when every partition has a leader that serves it: Kafka names leaders before they are ready."""
        connection = self.connection()
        rawwire.create_topic(connection, topic, partitions, configs)
        until = time.monotonic() + READY_SECONDS_MAX
        while not self._serves(connection, topic, partitions):
            if time.monotonic() > until:
                raise RuntimeError(f"{self.name}: {topic} has partitions that are not served")
            time.sleep(0.05)
        connection.close()

    def _serves(self, connection, topic, partitions):
        if rawwire.leaders(connection, topic) < partitions:
            return False
        answer = connection.call(rawwire.fetch_request(topic, dict.fromkeys(range(partitions), 0), max_wait_ms=0))
        try:
            return len(list(rawwire.fetched(answer, topic))) == partitions
        except rawwire.WireError:
            return False

    def cpu_seconds(self):
        return accounting.cpu_seconds(self.pid)

    def counters(self):
        """What the broker itself counts: {metric: total so far}."""
        return {}


class Weir(Server):
    """`store` names a directory that stays; without it the broker gets an empty one. `s3` is a running S3
    server."""

    name = "weir"
    binary = None

    def __init__(self, directory, cpus=None, store=None, sync=False, memory=None, s3=None):
        super().__init__(directory, cpus)
        self.store = store or self.directory / "data"
        self.admin = f"127.0.0.1:{free_port()}"
        self.s3 = s3
        self._sync = sync
        self._more = ["--memory", memory] if memory else []

    def command(self):
        url = f"file://{self.store}" + ("" if self._sync else "?sync=none")
        if self.s3:
            url = self.s3.url(f"bench-{self.port}")
        return [self.binary, "broker", "--store", url, "--listen", self.bootstrap, "--admin", self.admin, *self._more]

    def environment(self):
        return {**os.environ, **self.s3.environment} if self.s3 else None

    def printed_config(self):
        return subprocess.run([*self.command(), "--print-config"], capture_output=True, text=True, check=True,
                              env=self.environment()).stdout

    def counters(self):
        values = accounting.metrics(self.admin)
        return {"store_requests": accounting.sum_of(values, "weir_store_requests_total"),
                "store_usd": accounting.sum_of(values, "weir_store_price_nanodollars_total") / 1e9}

    def flushed_bytes(self):
        """Of record batches, as they were produced."""
        return accounting.sum_of(accounting.metrics(self.admin), "weir_flush_bytes_total")

    def stored_bytes(self):
        """Of all that was written to the store, as it is there."""
        values = accounting.metrics(self.admin)
        return sum(value for series, value in values.items()
                   if series.startswith("weir_store_bytes_total{") and 'direction="written"' in series)

    def driver_cpu_seconds(self):
        """Signing, HTTP and copies: the driver of a store has a thread of its own."""
        return accounting.thread_cpu_seconds(self.pid, STORE_THREAD)

    def store_cpu_seconds(self):
        return accounting.cpu_seconds(self.s3.pid)


class Kafka(Server):
    name = "kafka"
    class_path = None

    def prepare(self):
        self._properties = self.directory / "server.properties"
        self._properties.write_text(KAFKA_PROPERTIES.format(port=self.port, controller=free_port(),
                                                            directory=self.directory))
        # Any id will do; this is 16 zero bytes in the form that the tool wants.
        formatted = subprocess.run(["java", "-cp", self.class_path, "kafka.tools.StorageTool", "format", "-t", "A" * 22,
                                    "-c", str(self._properties)], capture_output=True, text=True)
        if formatted.returncode != 0:
            raise RuntimeError(f"formatting Kafka's directory failed:\n{formatted.stdout[-2000:]}{formatted.stderr[-2000:]}")

    def command(self):
        return ["java", *KAFKA_JVM, "-cp", self.class_path, "kafka.Kafka", str(self._properties)]


def check_release(binary):
    """Raises unless the program's build tree says that it was built for speed."""
    cache = pathlib.Path(binary).resolve().parent / "CMakeCache.txt"
    if not cache.exists():
        raise RuntimeError(f"{binary} has no CMakeCache.txt beside it; ./dev build makes the release program")
    values = dict(line.split("=", 1) for line in cache.read_text().splitlines() if "=" in line and line[0] not in "#/")
    kind = values.get("CMAKE_BUILD_TYPE:STRING", "")
    if kind not in ("Release", "RelWithDebInfo") or values.get("WEIR_SANITIZE:STRING", ""):
        raise RuntimeError(f"{binary} is a {kind or 'debug'} build; only a release build is measured")
