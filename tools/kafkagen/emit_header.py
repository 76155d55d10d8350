"""The header of one schema file: plain structs with defaults, and two functions per message."""

import textwrap

from cpp import banner, include_of, member_type, since
from defaults import initializer, literal
from model import VERSION_MAX
from names import member, snake
from schema import used_messages


def header(file, profile):
    lines = [banner(file), "#pragma once", ""]
    lines += [f"#include <{name}>" for name in _standard_headers(file)]
    lines += [""] + _project_headers(file, profile)
    lines += ["namespace weir::serial {", "class Reader;", "class Writer;", "}  // namespace weir::serial", ""]
    lines += [f"namespace {profile.namespace} {{", ""]
    for message in file.messages:
        lines += _message(message)
    lines += [f"}}  // namespace {profile.namespace}", ""]
    return "\n".join(lines)


def _fields(file):
    return [f for m in file.messages for s in m.structs + [m] for f in s.fields]


def _standard_headers(file):
    fields = _fields(file)
    names = {"cstdint", "string_view"}
    if any((literal(f) or "").startswith("std::numeric_limits") for f in fields):
        names.add("limits")
    if any(f.optional for f in fields):
        names.add("optional")
    if any(f.type.name == "string" for f in fields):
        names.add("string")
    if any(f.type.array for f in fields):
        names.add("vector")
    return sorted(names)


def _project_headers(file, profile):
    types = {f.type.name for f in _fields(file)}
    names = set()
    if types & {"bytes", "records"}:
        names.add("base/bytes.h")
    if "uuid" in types:
        names.add("base/ids.h")
    for message in file.messages:
        names |= {include_of(profile, m.name) for m in used_messages(message)}
    return [f'#include "{name}"' for name in sorted(names)] + [""] * bool(names)


def _doc(text, indent):
    return textwrap.wrap(text, 96, initial_indent=f"{indent}/// ", subsequent_indent=f"{indent}/// ") if text else []


def _message(message):
    lines = _parts(message) + _doc(message.doc, "") + [f"struct {message.name} {{"]
    lines.append(f'  static constexpr std::string_view kName = "{message.name}";')
    if message.role in ("request", "response"):
        lines.append(f"  static constexpr std::int16_t kApiKey = {message.key};")
    if message.role == "command":
        lines.append(f"  static constexpr std::uint16_t kType = {message.key};")
    lines += [
        f"  static constexpr std::int16_t kVersionMin = {message.versions.low};",
        f"  static constexpr std::int16_t kVersionMax = {message.versions.high};",
        _flexible(message),
    ]
    lines += [""] * bool(message.structs)
    lines += [f"  using {struct.name} = {_parts_namespace(message)}::{struct.name};" for struct in message.structs]
    lines += [""] + _members(message, message) + ["};"]
    lines += [
        f"void encode(const {message.name}& in, serial::Writer& w, std::int16_t v);",
        f"bool decode({message.name}& out, serial::Reader& r, std::int16_t v);",
        "",
    ]
    return lines


def _parts_namespace(message):
    return snake(message.name) + "_parts"


def _parts(message):
    """The structs inside. Not nested: an optional of a nested struct with defaults cannot be made before its
    enclosing struct is complete, so they stand before it and are named in it."""
    if not message.structs:
        return []
    lines = [f"namespace {_parts_namespace(message)} {{"]
    for struct in message.structs:
        lines += [f"struct {struct.name} {{"] + _members(message, struct) + ["};"]
    return lines + [f"}}  // namespace {_parts_namespace(message)}", ""]


def _flexible(message):
    never = message.flexible_min == VERSION_MAX
    note = "  // never" if never else ""
    return f"  static constexpr std::int16_t kFlexibleMin = {message.flexible_min};{note}"


def _members(message, struct):
    lines, indent, name = [], "  ", struct.name
    for field in struct.fields:
        kind = member_type(message, field, inside=True)
        lines += _doc(field.doc, indent)
        note = "" if field.versions == message.versions else f"  // {since(field.versions, message.versions)}"
        lines.append(f"{indent}{kind} {member(field.name)}{initializer(field, _bare(kind))};{note}")
    # Comparable by value: for tests, and for tagged structs that are not sent when they are default.
    lines.append(f"{indent}friend bool operator==(const {name}&, const {name}&) = default;")
    return lines


def _bare(kind):
    return kind.removeprefix("std::optional<").removesuffix(">") if kind.startswith("std::optional<") else kind
