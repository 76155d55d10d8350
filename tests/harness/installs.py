"""Brings the real clients into build/clients, never anywhere else on the machine.

Each function gives what a test needs to run that client, or raises unittest.SkipTest with the reason: a tool that is
not installed, or a registry that does not answer. What is installed once stays; a lock lets suites run side by side.
"""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from harness.broker import ROOT

CLIENTS = ROOT / "build/clients"
SERVERS = ROOT / "build/tests/servers"
HERE = pathlib.Path(__file__).resolve().parent
KAFKA_VERSION = "4.4.0"
CONNECT_VERSION = "4.3.1"  # the latest with the file connectors
INSTALL_SECONDS_MAX = 600

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>weir.tests</groupId>
  <artifactId>clients</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>{KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
"""
# kafkajs brings gzip; for the other codecs it is given these, all without native code.
NODE_PACKAGES = ["kafkajs@2.2.4", "snappyjs@0.7.0", "lz4js@0.2.0", "zstd-codec@0.1.5"]
PYTHON_PACKAGES = ["confluent-kafka==2.16.1"]
WEB_UI_PACKAGES = ["kafka-viewer==0.4.0", "kafka-python==3.0.12", "streamlit==1.67.0"]
# Holds the whole source of librdkafka 2.15.1, its test suite included; no release of librdkafka itself is in a registry.
LIBRDKAFKA_PACKAGE = "@confluentinc/kafka-javascript@1.10.1"


def need(command, package):
    path = shutil.which(command)
    if path is None:
        raise unittest.SkipTest(f"no {command} (Debian package {package})")
    return path


def need_go():
    """Go from 1.21 on fetches the toolchain that a module asks for; Debian 12 has 1.19."""
    path = shutil.which("go")
    if path is None:
        raise unittest.SkipTest("no go; 1.21 or later is needed (go.dev/dl)")
    version = subprocess.run([path, "version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"go1\.(\d+)", version)
    if found is None or int(found.group(1)) < 21:
        raise unittest.SkipTest(f"{version.split()[2]} is too old; go1.21 or later is needed (go.dev/dl)")
    return path


@contextlib.contextmanager
def _locked(directory):
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(directory, content, commands, environment=None):
    """Runs `commands` unless `content`, which names all that they install, is there already."""
    stamp = directory / "installed"
    with _locked(directory):
        if stamp.exists() and stamp.read_text() == content:
            return
        for command in commands:
            log = directory / "install.log"
            try:
                with open(log, "ab") as out:
                    status = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            timeout=INSTALL_SECONDS_MAX, env=environment).returncode
            except subprocess.TimeoutExpired:
                status = "none in time"
            if status != 0:
                last = (log.read_text(errors="replace").strip().splitlines() or ["no output"])[-1]
                raise unittest.SkipTest(f"{command[0]} could not install into {directory.relative_to(ROOT)} "
                                        f"(exit status {status}): {last}")
        stamp.write_text(content)


def java():
    """The class path of Kafka's tools and of our own Java programs."""
    need("java", "openjdk-17-jre-headless")
    need("javac", "openjdk-17-jdk-headless")
    directory = _maven("java", POM)
    return f"{_compile(directory)}:{directory}/lib/*"


def kafka_server():
    """The class path of Apache Kafka's own broker."""
    need("java", "openjdk-17-jre-headless")
    return f"{_maven('kafka-server', POM.replace('kafka-tools', 'kafka_2.13'))}/lib/*"


def kafka_connect():
    """The class path of Kafka Connect with its file connectors."""
    need("java", "openjdk-17-jre-headless")
    pom = POM.replace("kafka-tools", "connect-runtime").replace(KAFKA_VERSION, CONNECT_VERSION).replace("  </dependencies>", f"""\
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>connect-file</artifactId><version>{CONNECT_VERSION}</version>
    </dependency>
  </dependencies>""")
    return f"{_maven('kafka-connect', pom)}/lib/*"


def _maven(name, pom):
    """A directory whose lib/ holds all that `pom` depends on."""
    directory = CLIENTS / name
    if not ((directory / "installed").exists() and (directory / "installed").read_text() == pom):
        maven = need("mvn", "maven")
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "pom.xml").write_text(pom)
        _install(directory, pom, [["rm", "-rf", "lib"], [maven, "-B", "-q", "dependency:copy-dependencies",
                                                         "-DoutputDirectory=lib", "-DincludeScope=runtime"]])
    return directory


def _compile(directory):
    """Our Java programs, compiled once per content."""
    sources = sorted((HERE / "agents/java").glob("*.java")) + sorted((ROOT / "tests/kill/java").glob("*.java"))
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in sources)).hexdigest()[:16]
    classes = directory / f"classes-{digest}"
    with _locked(directory):
        if not classes.exists():
            for old in directory.glob("classes-*"):
                shutil.rmtree(old)
            made = subprocess.run(["javac", "-Xlint:all", "-Xlint:-processing", "-Werror", "-cp", f"{directory}/lib/*",
                                   "-d", f"{classes}.new", *map(str, sources)], capture_output=True, text=True)
            if made.returncode != 0:
                raise AssertionError(made.stderr)
            os.rename(f"{classes}.new", classes)
    return classes


def java_command(main, *options):
    """The command line that runs a Java class; `options` are the JVM's."""
    return ["java", "-XX:+UseSerialGC", "-XX:-UsePerfData", *options, "-cp", java(), main]


def _interpreter(name, packages):
    """A Python interpreter that has these packages."""
    directory = CLIENTS / name
    interpreter = directory / "venv/bin/python3"
    _install(directory, " ".join(packages),
             [[sys.executable, "-m", "venv", "--clear", "venv"],
              [str(interpreter), "-m", "pip", "--disable-pip-version-check", "-q", "install", *packages]])
    return str(interpreter)


def python():
    """A Python interpreter that has confluent-kafka."""
    return _interpreter("python", PYTHON_PACKAGES)


def web_ui():
    """A Python interpreter that has kafka-viewer, a web UI on Streamlit and kafka-python."""
    return _interpreter("web-ui", WEB_UI_PACKAGES)


def node_modules():
    """The directory of the Node packages."""
    directory = CLIENTS / "node"
    need("node", "nodejs")
    if not (directory / "installed").exists():
        need("npm", "npm")
    _install(directory, " ".join(NODE_PACKAGES),
             [["npm", "install", "--prefix", ".", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
               *NODE_PACKAGES]])
    return directory / "node_modules"


def librdkafka_tests():
    """The directory tests/ of librdkafka's source, with its test program built.

    ../../kafka holds what its tests call of a Kafka distribution (KAFKA_PATH): the command line tools, and the jars for
    its own Java programs.
    """
    for command, package in (("npm", "npm"), ("make", "make"), ("g++", "g++"), ("pkg-config", "pkg-config")):
        need(command, package)
    java()
    directory = CLIENTS / "librdkafka"
    kafka = directory / "kafka"
    # Not clang: it refuses Debian's headers of RapidJSON, without which some tests skip themselves.
    environment = {**os.environ, "CC": "gcc", "CXX": "g++", "KAFKA_PATH": str(kafka)}
    make = ["nice", "make", "-j2", "-C"]
    _install(directory, LIBRDKAFKA_PACKAGE, [
        ["npm", "pack", "--silent", LIBRDKAFKA_PACKAGE],
        ["sh", "-ec", "rm -rf source kafka; mkdir source kafka; ln -s ../../java/lib kafka/libs; "
                      "ln -s ../../../../tests/librdkafka/bin kafka/bin; "
                      "tar -xzf *.tgz -C source --strip-components=3 package/deps/librdkafka"],
        ["sh", "-ec", "cd source && ./configure --disable-sasl"],
        [*make, "source", "libs"],
        [*make, "source/tests", "build"],
        [*make, "source/tests/java"]], environment)
    return directory / "source/tests"


def go_program(name, module):
    """A program that `go install MODULE` makes."""
    directory = SERVERS / name
    need_go()
    environment = {**os.environ, "GOBIN": str(directory), "GOFLAGS": ""}
    _install(directory, module, [["go", "install", "-ldflags=-s -w", module]], environment)
    return str(directory / name)


def kcat():
    return need("kcat", "kcat")
