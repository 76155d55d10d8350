"""The decoder of one struct. The reader's sticky error lets it be as straight as the encoder."""

from cpp import (
    element_shortest, element_type, flexible_range, form_constant, form_of, label, null_of, struct_name, value_type,
    when,
)
from model import SIZED
from names import member


def decoder(message, struct):
    lines = [f"void get([[maybe_unused]] {struct_name(message, struct)}& out, Reader& r,"]
    lines += ["         [[maybe_unused]] std::int16_t v) {", form_constant(message)]
    for field in struct.plain_fields():
        body = get_value(message, struct, field)
        condition = when(field.versions, message.versions)
        if condition:
            lines += [f"  if ({condition}) {{"] + ["    " + line for line in body] + ["  }"]
        else:
            lines += ["  " + line for line in body]
    lines += _tagged(message, struct)
    return lines + ["}", ""]


def get_value(message, struct, field):
    """Statements that read the field's value into `out`."""
    form, name, kind = form_of(message, field), label(struct, field), field.type
    here = f"out.{member(field.name)}"
    if kind.array:
        return _get_array(message, struct, field, here)
    if kind.name in SIZED:
        if field.optional:
            return [f"{here} = r.nullable_{kind.name}({form}, {null_of(field)}, {name});"]
        return [f"{here} = r.{kind.name}({form}, {name});"]
    if kind.primitive:
        return [f"{here} = r.{kind.primitive.call}({name});"]
    if field.optional:
        return [
            f"if (r.struct_present({null_of(field)}, {name})) {{",
            f"  {_call(kind)}({here}.emplace(), r, v);",
            "} else {",
            f"  {here}.reset();",
            "}",
        ]
    return [f"{_call(kind)}({here}, r, v);"]


def _call(kind):
    return "get" if kind.struct else "decode"


def _get_array(message, struct, field, here):
    form, name = form_of(message, field), label(struct, field)
    element = element_type(message, field.type)
    size = f"{{{element_shortest(message, field.type)}, sizeof({element})}}"
    items = f"*{here}" if field.optional else here
    loop = f"for (auto& item : {items}) {_get_element(field, form, name)}"
    if not field.optional:
        return [f"{here}.resize(r.array({form}, {size}, {name}));", loop]
    return [
        f"if (const auto count = r.nullable_array({form}, {null_of(field)}, {size}, {name})) {{",
        f"  {here} = {value_type(message, field.type)}(*count);",
        f"  {loop}",
        "} else {",
        f"  {here}.reset();",
        "}",
    ]


def _get_element(field, form, name):
    kind = field.type
    if kind.name in SIZED:
        return f"item = r.{kind.name}({form}, {name});"
    if kind.primitive:
        return f"item = r.{kind.primitive.call}({name});"
    return f"{_call(kind)}(item, r, v);"


def _tagged(message, struct):
    flexible = flexible_range(message)
    if not flexible:
        return []
    condition = when(flexible, message.versions)
    body = _tag_loop(message, struct) if struct.tagged_fields() else [f'r.skip_tagged_fields("{struct.name}");']
    if not condition:
        return ["  " + line for line in body]
    return [f"  if ({condition}) {{"] + ["    " + line for line in body] + ["  }"]


def _tag_loop(message, struct):
    lines = [f'for (TagReader tags(r, "{struct.name}"); tags.next();) {{', "  switch (tags.tag()) {"]
    for field in struct.tagged_fields():
        condition = when(field.versions, message.versions)
        lines.append(f"    case {field.tag}:")
        if condition:
            lines += [f"      if (!({condition})) {{", "        tags.skip();", "        break;", "      }"]
        lines += ["      " + line for line in get_value(message, struct, field)] + ["      break;"]
    return lines + ["    default: tags.skip();", "  }", "}"]
