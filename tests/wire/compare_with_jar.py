#!/usr/bin/env python3
"""Compares schemas/kafka with the message definitions inside the kafka-clients jar.

Each message is unfolded for each version that a broker of that release serves: the fields in their order on the wire
with type, nullability and default, and the tagged fields by number. The two lists must be equal. Every API of a broker
listener must be in schemas/kafka or, with a reason, in LEFT_OUT.

  compare_with_jar.py [--jar FILE] [--canary]

--canary also tampers with copies of our schemas in many ways, each of which must be noticed.
Exit status: 0 equal, 1 different, 77 no jar.
"""

import argparse
import copy
import json
import os
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/kafkagen"))

from model import VERSION_MAX, Range  # noqa: E402
from names import snake  # noqa: E402
from schema import SchemaError, link, load_text  # noqa: E402

JAR = "org/apache/kafka/kafka-clients/4.4.0/kafka-clients-4.4.0.jar"

RAFT = "changes the controller quorum, which weir does not have"
SHARE_STATE = "spoken between brokers to keep share group state, which is in our commit log"
LEFT_OUT = {
    80: RAFT, 81: RAFT, 94: RAFT,
    83: SHARE_STATE, 84: SHARE_STATE, 85: SHARE_STATE, 86: SHARE_STATE, 87: SHARE_STATE,
}
DATA = ["RequestHeader", "ResponseHeader", "ConsumerProtocolSubscription", "ConsumerProtocolAssignment"]


def their_range(text):
    match = re.fullmatch(r"(\d+)(\+|-(\d+))?", text or "")
    if not match:
        return None
    high = VERSION_MAX if match[2] == "+" else int(match[3] or match[1])
    return Range(int(match[1]), high)


def has(span, version):
    return span is not None and span.low <= version <= span.high


def read_jar(path):
    """Name -> definition, as the jar has it, without comments."""
    messages = {}
    with zipfile.ZipFile(path) as jar:
        for name in jar.namelist():
            if not re.fullmatch(r"common/message/\w+\.json", name):
                continue
            text = jar.read(name).decode("utf-8")
            text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda m: m[1] or "", text)
            message = json.loads(text)
            messages[message["name"]] = message
    return messages


def their_default(field, version):
    """The default in our terms: number, bool, text, None, or "empty"."""
    value, kind = field.get("default"), field["type"]
    if value == "null":
        return None
    if kind == "bool":
        return value in (True, "true")
    if kind == "string":
        return value or ""
    if kind in ("int8", "int16", "int32", "int64", "uint16", "uint32"):
        return int(str(value or 0), 0)
    if kind == "float64":
        return float(value or 0)
    if kind == "records":
        # Always null in the Java object, which it cannot write in a version without null.
        return None if has(their_range(field.get("nullableVersions")), version) else "empty"
    return "empty"


def their_fields(fields, structs, version, flexible):
    """What the jar says about the fields of one version."""
    plain, tagged = [], {}
    for field in fields:
        if not has(their_range(field["versions"]), version):
            continue
        kind = field["type"].removeprefix("[]")
        inner = structs.get(kind, field.get("fields"))
        row = {
            "name": snake(field["name"]),
            "type": field["type"],
            "nullable": has(their_range(field.get("nullableVersions")), version),
            "default": their_default(field, version),
            "compact": flexible and field.get("flexibleVersions") != "none",
            "fields": None if inner is None else their_fields(inner, structs, version, flexible),
        }
        if has(their_range(field.get("taggedVersions")), version):
            tagged[field["tag"]] = row
        else:
            plain.append(row)
    return {"plain": plain, "tagged": tagged}


def their_message(message, version):
    flexible = has(their_range(message["flexibleVersions"]), version)
    structs = {s["name"]: s["fields"] for s in message.get("commonStructs", [])}
    return {"flexible": flexible} | their_fields(message["fields"], structs, version, flexible)


def our_default(field):
    if field.null_by_default:
        return None
    if field.has_default:
        return field.default
    if field.type.array or field.type.composite or field.type.name in ("uuid", "bytes", "records"):
        return "empty"
    return {"bool": False, "string": "", "float64": 0.0}.get(field.type.name, 0)


def our_fields(struct, version, flexible):
    plain, tagged = [], {}
    for field in struct.fields:
        if not has(field.versions, version):
            continue
        inner = field.type.composite
        row = {
            "name": field.name,
            "type": "[]" * field.type.array + field.type.name,
            "nullable": has(field.nullable, version),
            "default": our_default(field),
            "compact": flexible and not field.classic,
            "fields": None if inner is None else our_fields(inner, version, flexible),
        }
        if field.tag is not None:
            tagged[field.tag] = row
        else:
            plain.append(row)
    return {"plain": plain, "tagged": tagged}


def our_message(message, version):
    flexible = version >= message.flexible_min
    return {"flexible": flexible} | our_fields(message, version, flexible)


def ignorable_of_theirs(message, span):
    """Fields that may be dropped silently, among those that some served version lacks."""
    names = {}

    def walk(owner, fields):
        for field in fields:
            clipped = their_range(field["versions"]).overlap(span)
            if clipped and clipped != span:
                names[f"{owner}.{snake(field['name'])}"] = bool(field.get("ignorable"))
            walk(field["type"].removeprefix("[]"), field.get("fields", []))

    walk(message["name"], message["fields"])
    for struct in message.get("commonStructs", []):
        walk(struct["name"], struct["fields"])
    return names


def ignorable_of_ours(message):
    return {
        f"{s.name}.{f.name}": f.ignorable
        for s in message.structs + [message]
        for f in s.fields
        if f.versions != message.versions
    }


def served(message):
    """The versions that a broker offers: not those marked as unstable."""
    span = their_range(message["validVersions"])
    return Range(span.low, span.high - 1) if message.get("latestVersionUnstable") else span


def difference(ours, theirs, where):
    """The first few places where two unfolded messages differ."""
    if type(ours) is not type(theirs):
        return [f"{where}: ours {ours!r}, theirs {theirs!r}"]
    if isinstance(ours, dict):
        found = []
        for key in sorted(set(ours) | set(theirs), key=str):
            if key not in ours or key not in theirs:
                found.append(f"{where}: {key!r} only in {'theirs' if key not in ours else 'ours'}")
            else:
                found += difference(ours[key], theirs[key], f"{where}.{key}")
        return found
    if isinstance(ours, list):
        if [r["name"] for r in ours] != [r["name"] for r in theirs]:
            return [f"{where}: ours {[r['name'] for r in ours]}, theirs {[r['name'] for r in theirs]}"]
        return [d for o, t in zip(ours, theirs) for d in difference(o, t, f"{where}.{o['name']}")]
    return [] if ours == theirs else [f"{where}: ours {ours!r}, theirs {theirs!r}"]


def compare_message(ours, theirs, span):
    found = []
    if ours.versions != span:
        found.append(f"{ours.name}: ours has versions {ours.versions}, theirs {span}")
    for version in range(max(span.low, ours.versions.low), min(span.high, ours.versions.high) + 1):
        found += difference(our_message(ours, version), their_message(theirs, version), f"{ours.name} v{version}")
    if ours.versions == span:
        found += difference(ignorable_of_ours(ours), ignorable_of_theirs(theirs, span), f"{ours.name} ignorable")
    return found


def compare(files, jar):
    found = []
    apis = {f.key: f for f in files if f.kind == "api"}
    for message in jar.values():
        key = message.get("apiKey")
        if message["type"] != "request" or message["validVersions"] == "none" or "broker" not in message["listeners"]:
            continue
        if (key in apis) == (key in LEFT_OUT):
            found.append(f"API {key} {message['name']}: must be in schemas/kafka or in LEFT_OUT, not both")
        if key not in apis:
            continue
        span = served(message)
        for ours in apis.pop(key).messages:
            if ours.name not in jar:
                found.append(f"{ours.name}: not in the jar")
            else:
                found += compare_message(ours, jar[ours.name], span)
    found += [f"API {key} {file.name}: not served by a broker" for key, file in apis.items()]
    data = {f.name: f.messages[0] for f in files if f.kind == "data"}
    if sorted(data) != sorted(DATA):
        found.append(f"data messages: {sorted(data)}, expected {sorted(DATA)}")
    for name in set(data) & set(DATA):
        found += compare_message(data[name], jar[name], served(jar[name]))
    return found


def load(texts):
    files = [load_text(text, name) for name, text in sorted(texts.items())]
    link(files)
    return files


# Each tampers with one file's JSON; the comparison (or the schema reader) must notice it.
def _fetch_field(raw, role, name):
    return next(f for f in raw[role]["fields"] if f["name"] == name)


CANARIES = {
    "renamed field": lambda raw: _fetch_field(raw, "request", "min_bytes").update(name="minimum_bytes"),
    "other type": lambda raw: _fetch_field(raw, "request", "min_bytes").update(type="int64"),
    "later version": lambda raw: _fetch_field(raw, "request", "session_id").update(versions="8+"),
    "earlier end": lambda raw: _fetch_field(raw, "request", "replica_id").update(versions="4-13"),
    "other default": lambda raw: _fetch_field(raw, "request", "max_bytes").update(default=1),
    "dropped default": lambda raw: _fetch_field(raw, "request", "session_epoch").pop("default"),
    "not nullable": lambda raw: [_fetch_field(raw, "request", "cluster_id").pop(k) for k in ("nullable", "default")],
    "not tagged": lambda raw: _fetch_field(raw, "response", "node_endpoints").pop("tag"),
    "swapped tags": lambda raw: [
        _fetch_field(raw, "request", n).update(tag=t) for n, t in (("cluster_id", 1), ("replica_state", 0))
    ],
    "swapped order": lambda raw: raw["request"]["fields"].sort(key=lambda f: f["name"]),
    "missing field": lambda raw: raw["response"]["fields"].pop(0),
    "not ignorable": lambda raw: _fetch_field(raw, "request", "session_id").pop("ignorable"),
    "inner field": lambda raw: _fetch_field(raw, "response", "responses")["fields"].pop(1),
    "other flexible": lambda raw: raw.update(flexible="11+"),
    "other versions": lambda raw: raw.update(versions="4-17"),
    "other key": lambda raw: raw.update(apiKey=100),
}


def canary_failures(texts, jar):
    """The names of the canaries that nobody noticed."""
    missed = []
    name = next(n for n in texts if n.endswith("01_fetch.json"))
    for label, tamper in CANARIES.items():
        raw = copy.deepcopy(json.loads(texts[name]))
        tamper(raw)
        try:
            found = compare(load(texts | {name: json.dumps(raw)}), jar)
        except SchemaError as error:
            found = [str(error)]
        if not found:
            missed.append(label)
    if not compare(load({n: t for n, t in texts.items() if n != name}), jar):
        missed.append("missing file")
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    repository = pathlib.Path(os.environ.get("MAVEN_REPOSITORY", pathlib.Path.home() / ".m2/repository"))
    parser.add_argument("--jar", type=pathlib.Path, default=os.environ.get("WEIR_KAFKA_CLIENTS_JAR", repository / JAR))
    parser.add_argument("--canary", action="store_true")
    options = parser.parse_args()
    if not pathlib.Path(options.jar).exists():
        print(f"skipped: no {options.jar}")
        return 77
    jar = read_jar(options.jar)
    texts = {p.name: p.read_text(encoding="utf-8") for p in (ROOT / "schemas/kafka").glob("*.json")}
    found = compare(load(texts), jar)
    if options.canary:
        found += [f"canary not noticed: {name}" for name in canary_failures(texts, jar)]
    for line in found[:40]:
        print(line)
    print(f"{len(texts)} schema files, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
