"""The encoder of one struct: straight code, one statement per field, conditions only where versions differ."""

from cpp import (
    element_type, flexible_range, form_constant, form_of, label, member_type, null_of, struct_name, when,
)
from defaults import differs
from model import SIZED
from names import member


def encoder(message, struct):
    lines = [f"void put([[maybe_unused]] const {struct_name(message, struct)}& in, Writer& w,"]
    lines += ["         [[maybe_unused]] std::int16_t v) {", form_constant(message)]
    for field in struct.plain_fields():
        lines += _field(message, struct, field)
    lines += _tagged(message, struct)
    return lines + ["}", ""]


def _field(message, struct, field):
    here = f"in.{member(field.name)}"
    body = put_value(message, struct, field, here, "w")
    condition = when(field.versions, message.versions)
    if not condition:
        return ["  " + line for line in body]
    lines = [f"  if ({condition}) {{"] + ["    " + line for line in body]
    return lines + _else_absent(message, struct, field, here) + ["  }"]


def _else_absent(message, struct, field, here):
    if field.ignorable:
        return []
    other = differs(field, here, _inner(message, field))
    return [f"  }} else if ({other}) {{", f"    w.fail_field({label(struct, field)}, v);"]


def _inner(message, field):
    kind = member_type(message, field)
    return kind.removeprefix("std::optional<").removesuffix(">") if field.optional else kind


def put_value(message, struct, field, here, writer):
    """Statements that write the field's value, null included."""
    form, name = form_of(message, field), label(struct, field)
    kind = field.type
    if kind.array:
        return _put_array(message, struct, field, here, writer)
    if kind.name in SIZED:
        if field.optional:
            return [f"{writer}.nullable_{kind.name}({form}, {null_of(field)}, {here}, {name});"]
        return [f"{writer}.{kind.name}({form}, {here}, {name});"]
    if kind.primitive:
        return [f"{writer}.{kind.primitive.call}({here});"]
    if field.optional:
        return [
            f"{writer}.struct_present({null_of(field)}, {here}.has_value(), {name});",
            f"if ({here}) {_call(kind)}(*{here}, {writer}, v);",
        ]
    return [f"{_call(kind)}({here}, {writer}, v);"]


def _call(kind):
    return "put" if kind.struct else "encode"


def _put_array(message, struct, field, here, writer):
    form, name = form_of(message, field), label(struct, field)
    if field.optional:
        lines = [
            f"if ({here}) {{",
            f"  {writer}.array({form}, {here}->size(), {name});",
            f"  for (const auto& item : *{here}) {_put_element(message, field, form, name, writer)}",
            "} else {",
            f"  {writer}.nullable_array({form}, {null_of(field)}, std::nullopt, {name});",
            "}",
        ]
        return lines
    return [
        f"{writer}.array({form}, {here}.size(), {name});",
        f"for (const auto& item : {here}) {_put_element(message, field, form, name, writer)}",
    ]


def _put_element(message, field, form, name, writer):
    kind = field.type
    if kind.name in SIZED:
        return f"{writer}.{kind.name}({form}, item, {name});"
    if kind.primitive:
        return f"{writer}.{kind.primitive.call}(item);"
    assert element_type(message, kind)
    return f"{_call(kind)}(item, {writer}, v);"


def _tagged(message, struct):
    flexible = flexible_range(message)
    if not flexible:
        return []
    tagged = struct.tagged_fields()
    lines = []
    for field in tagged:
        lines += _decide(message, struct, field)
    sent = " + ".join(f"(send_{f.name} ? 1U : 0U)" for f in tagged) or "0"
    body = [f"w.tag_count({sent});"]
    for field in tagged:
        body += _put_tagged(message, struct, field)
    condition = when(flexible, message.versions)
    if not condition:
        return lines + ["  " + line for line in body]
    return lines + [f"  if ({condition}) {{"] + ["    " + line for line in body] + ["  }"]


def _decide(message, struct, field):
    """A tagged field is sent only in its versions, and only if it is not its default."""
    here = f"in.{member(field.name)}"
    other = differs(field, here, _inner(message, field))
    condition = when(field.versions, message.versions)
    lines = [f"  const bool send_{field.name} = {condition + ' && ' if condition else ''}{other};"]
    if condition and not field.ignorable:
        lines += [f"  if (!({condition}) && {other}) w.fail_field({label(struct, field)}, v);"]
    return lines


def _put_tagged(message, struct, field):
    here = f"in.{member(field.name)}"
    size = field.type.primitive.size if field.type.primitive and not field.type.array else None
    if size:
        inner = [f"w.tag({field.tag}, {size});"] + put_value(message, struct, field, here, "w")
    else:
        inner = ["Writer content;"] + put_value(message, struct, field, here, "content")
        inner += [f"w.tag({field.tag}, std::move(content));"]
    return [f"if (send_{field.name}) {{"] + ["  " + line for line in inner] + ["}"]
