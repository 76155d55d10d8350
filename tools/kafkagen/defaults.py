"""Defaults: which ones a schema may give, how C++ spells them, and how C++ asks for them."""

import json


def check_default(field):
    """A sentence about what is wrong with the field's default, or None."""
    value, kind = field.default, field.type
    if value is None:
        return None if field.optional else "default null needs nullable"
    if kind.array or kind.composite or not kind.primitive:
        return "arrays and structs can only default to null"
    if kind.name == "bool":
        return None if isinstance(value, bool) else "default must be true or false"
    if kind.name == "string":
        return None if isinstance(value, str) else "default must be a string"
    if kind.name == "float64":
        return None if isinstance(value, (int, float)) and not isinstance(value, bool) else "default must be a number"
    if kind.primitive.bits is None:
        return f"a {kind.name} has no default but its empty value"
    if not isinstance(value, int) or isinstance(value, bool):
        return "default must be an integer"
    bits = kind.primitive.bits
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind.primitive.signed else (0, (1 << bits) - 1)
    return None if low <= value <= high else f"default {value} does not fit {kind.name}"


def literal(field):
    """The default as a C++ expression; None where the type's own empty value is it."""
    value, kind = field.default, field.type
    if field.null_by_default or not field.has_default:
        return None
    if kind.name == "bool":
        return "true" if value else None
    if kind.name == "string":
        return json.dumps(value) if value else None
    if kind.name == "float64":
        return repr(float(value)) if value else None
    if value == -(1 << 63):
        return "std::numeric_limits<std::int64_t>::min()"
    suffix = "U" if not kind.primitive.signed and value > 0x7FFFFFFF else ""
    return f"{value}{suffix}" if value else None


def initializer(field, cpp_type):
    """What follows the member's name in the header."""
    text = literal(field)
    if field.optional:
        if field.null_by_default:
            return ""
        return f" = {text}" if text else f" = {cpp_type}()"
    if text:
        return f" = {text}"
    if field.type.array:
        return ""
    if field.type.name == "bool":
        return " = false"
    return " = 0" if field.type.primitive and (field.type.primitive.bits or field.type.name == "float64") else ""


def differs(field, expression, cpp_type):
    """A C++ condition: the member holds something else than its default."""
    text = literal(field)
    if field.optional:
        if field.null_by_default:
            return f"{expression}.has_value()"
        if text or field.type.name == "string" and not field.type.array:
            return f"{expression} != {text or 'std::string()'}"
        if field.type.array or field.type.primitive:
            return f"(!{expression}.has_value() || !{expression}->empty())"
        return f"{expression} != {cpp_type}()"
    if text == "true":
        return f"!{expression}"
    if text:
        return f"{expression} != {text}"
    if field.type.array or field.type.name in ("string", "bytes", "records"):
        return f"!{expression}.empty()"
    if field.type.name == "bool":
        return expression
    if field.type.name == "uuid":
        return f"!{expression}.is_nil()"
    return f"{expression} != 0" if field.type.primitive else f"{expression} != {cpp_type}()"
