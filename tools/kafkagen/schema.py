"""Reads schema files. Whatever is wrong is a SchemaError that names the file and the field."""

import json
import re

from model import (
    NOT_IN_ARRAYS, PRIMITIVES, SIZED, VERSION_MAX, Field, Message, Range, SchemaFile, Struct, Type,
)
from names import FIELD_NAME, TYPE_NAME
from defaults import check_default

DEPTH_MAX = 8


class SchemaError(Exception):
    def __init__(self, where, text):
        super().__init__(f"{where}: {text}")


FILE_KEYS = {
    "api": {"type", "name", "doc", "apiKey", "versions", "flexible", "request", "response", "advertisedMin"},
    "data": {"type", "name", "doc", "versions", "flexible", "fields", "structs"},
    "command": {"type", "name", "doc", "commandId", "versions", "fields", "structs"},
}
FIELD_KEYS = {
    "name", "type", "versions", "nullable", "default", "tag", "ignorable", "form", "fields", "doc",
}


def load_text(text, path):
    """One file's content -> SchemaFile, with types resolved except those of other files."""
    try:
        raw = json.loads(text, object_pairs_hook=_no_duplicates)
    except ValueError as error:
        raise SchemaError(path, f"not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise SchemaError(path, "must hold one object")
    kind = raw.get("type")
    if kind not in FILE_KEYS:
        raise SchemaError(path, f"type must be one of {', '.join(FILE_KEYS)}, not {kind!r}")
    _only(raw, FILE_KEYS[kind], path)
    name = _need(raw, "name", str, path)
    if not TYPE_NAME.match(name):
        raise SchemaError(path, f"name {name!r} is not in PascalCase")
    return _READERS[kind](raw, path, name)


def _no_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError(f"a key is given twice in {[key for key, _ in pairs]}")
    return result


def _only(raw, allowed, where):
    for key in raw:
        if key not in allowed:
            raise SchemaError(where, f"unknown key {key!r}")


def _need(raw, key, kind, where):
    value = raw.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise SchemaError(where, f"{key!r} is missing or not of type {kind.__name__}")
    return value


def parse_range(text, where):
    match = isinstance(text, str) and re.fullmatch(r"(\d{1,5})(\+|-(\d{1,5}))?", text)
    if not match:
        raise SchemaError(where, f"{text!r} is not a range of versions (use 5, 5+ or 4-12)")
    low = int(match[1])
    high = VERSION_MAX if match[2] == "+" else int(match[3] or match[1])
    if low > high or high > VERSION_MAX:
        raise SchemaError(where, f"{text!r} is an empty range of versions")
    return Range(low, high)


def _flexible_min(raw, where, default):
    text = raw.get("flexible", default)
    if text == "none":
        return VERSION_MAX
    span = parse_range(text, where)
    if span.high != VERSION_MAX:
        raise SchemaError(where, f"flexible {text!r} must be open, as 12+, or none")
    return span.low


def _read_api(raw, path, name):
    key = _need(raw, "apiKey", int, path)
    versions = parse_range(_need(raw, "versions", str, path), path)
    if versions.high == VERSION_MAX:
        raise SchemaError(path, "an API's versions need an end")
    flexible = _flexible_min(raw, path, None)
    messages = []
    for role in ("request", "response"):
        body = _need(raw, role, dict, path)
        _only(body, {"fields", "structs"}, f"{path}: {role}")
        message = Message(name + role.capitalize(), role=role, versions=versions, flexible_min=flexible, key=key)
        _fill(message, body, path)
        messages.append(message)
    return SchemaFile(path, "api", name, messages, key, raw.get("advertisedMin", versions.low))


def _read_data(raw, path, name):
    versions = parse_range(raw.get("versions", "0+"), path)
    message = Message(name, versions=versions, flexible_min=_flexible_min(raw, path, "0+"), doc=raw.get("doc", ""))
    _fill(message, raw, path)
    return SchemaFile(path, "data", name, [message])


def _read_command(raw, path, name):
    number = _need(raw, "commandId", int, path)
    if not 1 <= number <= 65535:
        raise SchemaError(path, f"commandId {number} is not in 1 … 65535")
    versions = parse_range(raw.get("versions", "0+"), path)
    message = Message(name, role="command", versions=versions, flexible_min=0, key=number, doc=raw.get("doc", ""))
    _fill(message, raw, path)
    return SchemaFile(path, "command", name, [message], number)


_READERS = {"api": _read_api, "data": _read_data, "command": _read_command}


def _fill(message, raw, path):
    structs = {}
    where = f"{path}: {message.name}"
    for index, item in enumerate(raw.get("structs", [])):
        if not isinstance(item, dict):
            raise SchemaError(where, f"structs[{index}] is not an object")
        name = _need(item, "name", str, f"{where}: structs[{index}]")
        _only(item, {"name", "fields", "doc"}, f"{where}: {name}")
        _declare(message, structs, name, item, path)
    message.fields = _read_fields(message, structs, message.name, raw, path)
    _resolve(message, structs, path)


def _declare(message, structs, name, raw, path):
    where = f"{path}: {name}"
    if not TYPE_NAME.match(name) or name in PRIMITIVES or name == message.name:
        raise SchemaError(where, f"{name!r} cannot name a struct")
    if name in structs:
        raise SchemaError(where, "struct is declared twice")
    structs[name] = Struct(name)
    structs[name].fields = _read_fields(message, structs, name, raw, path)


def _read_fields(message, structs, owner, raw, path):
    fields = raw.get("fields")
    if not isinstance(fields, list):
        raise SchemaError(f"{path}: {owner}", "'fields' is missing or not an array")
    result = [_read_field(message, structs, owner, item, path) for item in fields]
    names = [f.name for f in result]
    for name in names:
        if names.count(name) > 1:
            raise SchemaError(f"{path}: {owner}.{name}", "field is declared twice")
    tags = sorted(f.tag for f in result if f.tag is not None)
    if tags != list(range(len(tags))):
        raise SchemaError(f"{path}: {owner}", f"tags must be numbered from 0 without gaps, not {tags}")
    return result


def _read_field(message, structs, owner, raw, path):
    if not isinstance(raw, dict):
        raise SchemaError(f"{path}: {owner}", f"field {raw!r} is not an object")
    name = _need(raw, "name", str, f"{path}: {owner}")
    where = f"{path}: {owner}.{name}"
    if not FIELD_NAME.match(name):
        raise SchemaError(where, "name is not in snake_case")
    _only(raw, FIELD_KEYS, where)
    text = _need(raw, "type", str, where)
    kind = Type(text.removeprefix("[]"), text.startswith("[]"))
    kind.primitive = PRIMITIVES.get(kind.name)
    if not kind.primitive and not TYPE_NAME.match(kind.name):
        raise SchemaError(where, f"type {text!r} is not known")
    if kind.array and kind.name in NOT_IN_ARRAYS:
        raise SchemaError(where, f"arrays of {kind.name} are not supported")
    if "fields" in raw:
        if kind.primitive:
            raise SchemaError(where, f"a {text} has no fields")
        _declare(message, structs, kind.name, raw, path)
    versions = parse_range(raw["versions"], where) if "versions" in raw else message.versions
    clipped = versions.overlap(message.versions)
    if not clipped:
        raise SchemaError(where, f"versions {versions} are outside those of the message, {message.versions}")
    field = Field(name, kind, clipped, doc=raw.get("doc", ""))
    _read_options(message, field, raw, where)
    return field


def _read_options(message, field, raw, where):
    nullable = raw.get("nullable", False)
    if nullable is not False:
        field.nullable = field.versions if nullable is True else parse_range(nullable, where)
        field.nullable = field.nullable.overlap(field.versions)
        if not field.nullable:
            raise SchemaError(where, "nullable names no version that has the field")
        if field.type.primitive and not field.type.array and field.type.name not in SIZED:
            raise SchemaError(where, f"a {field.type.name} cannot be null")
    field.ignorable = raw.get("ignorable", False)
    if not isinstance(field.ignorable, bool):
        raise SchemaError(where, "ignorable must be true or false")
    if raw.get("form", "classic") != "classic":
        raise SchemaError(where, "form can only be classic")
    field.classic = "form" in raw
    if "tag" in raw:
        field.tag = _need(raw, "tag", int, where)
        if field.versions.low < message.flexible_min:
            raise SchemaError(where, f"tagged from version {field.versions.low}, which is not flexible")
    if "default" in raw:
        field.has_default = True
        field.default = raw["default"]
        problem = check_default(field)
        if problem:
            raise SchemaError(where, problem)


def _resolve(message, structs, path):
    """Ties names of structs to structs and puts these in an order that C++ accepts."""
    done, active = [], []

    def visit(struct):
        if struct in done:
            return
        active.append(struct)
        if len(active) > DEPTH_MAX:
            raise SchemaError(f"{path}: {struct.name}", f"nested deeper than {DEPTH_MAX}")
        for field in struct.fields:
            if field.type.primitive:
                continue
            field.type.struct = structs.get(field.type.name)
            if field.type.struct:
                if any(field.type.struct is s for s in active):
                    raise SchemaError(f"{path}: {struct.name}.{field.name}", "a struct cannot contain itself")
                visit(field.type.struct)
        active.pop()
        if struct is not message:
            done.append(struct)

    visit(message)
    for struct in structs.values():
        if not any(struct is s for s in done):
            raise SchemaError(f"{path}: {struct.name}", "struct is not used")
    message.structs = done


def link(files):
    """Resolves the types that are `data` files, and checks what must be unique in a directory."""
    shared = {f.name: f.messages[0] for f in files if f.kind == "data"}
    seen = {}
    for file in files:
        for mark in [(file.kind, file.key)] * (file.key is not None) + [("name", file.name)]:
            if mark in seen:
                raise SchemaError(file.path, f"{mark[0]} {mark[1]} is already used by {seen[mark]}")
            seen[mark] = file.path
        for message in file.messages:
            for struct in message.structs + [message]:
                for field in struct.fields:
                    _link_field(file, struct, field, shared)
    for file in files:
        for message in file.messages:
            _check_cycle(file, message, [])


def _link_field(file, struct, field, shared):
    if field.type.primitive or field.type.struct:
        return
    field.type.message = shared.get(field.type.name)
    if not field.type.message:
        raise SchemaError(f"{file.path}: {struct.name}.{field.name}", f"type {field.type.name!r} is not known")


def used_messages(message):
    """The `data` messages of other files that this one holds, by name."""
    used = {f.type.message.name: f.type.message for s in message.structs + [message] for f in s.fields if f.type.message}
    return [used[name] for name in sorted(used)]


def _check_cycle(file, message, active):
    if any(message is m for m in active):
        raise SchemaError(f"{file.path}: {message.name}", "a struct cannot contain itself")
    for other in used_messages(message):
        _check_cycle(file, other, active + [message])


def depth(struct):
    inner = [depth(f.type.composite) for f in struct.fields if f.type.composite]
    return 1 + max(inner, default=0)
