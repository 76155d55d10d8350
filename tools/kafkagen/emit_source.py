"""The source of one schema file: encoders and decoders of its structs, then the public functions."""

from cpp import banner, include_of
from emit_decode import decoder
from emit_encode import encoder
from model import VERSION_MAX
from schema import depth


def source(file, profile):
    lines = [banner(file), f'#include "{include_of(profile, file.name)}"', "", "#include <utility>", ""]
    lines += ['#include "serial/reader.h"', '#include "serial/writer.h"', ""]
    lines += [f"namespace {profile.namespace} {{", "namespace {", ""]
    lines += [f"using serial::{name};" for name in ("Form", "Null", "Reader", "TagReader", "Writer")] + [""]
    for message in file.messages:
        lines += [f'static_assert({depth(message)} <= serial::kDepthMax, "{message.name} is nested too deeply");', ""]
        for struct in message.structs + [message]:
            lines += encoder(message, struct) + decoder(message, struct)
    lines += ["}  // namespace", ""]
    for message in file.messages:
        lines += _public(message)
    return "\n".join(lines + [f"}}  // namespace {profile.namespace}", ""])


def _public(message):
    name = message.name
    checks = []
    if message.versions.low > 0:
        checks.append(f"v < {name}::kVersionMin")
    else:
        checks.append("v < 0")
    if message.versions.high < VERSION_MAX:
        checks.append(f"v > {name}::kVersionMax")
    check = " || ".join(checks)
    return [
        f"void encode(const {name}& in, serial::Writer& w, std::int16_t v) {{",
        f'  if ({check}) return w.fail_version("{name}", v);',
        "  put(in, w, v);",
        "}",
        "",
        f"bool decode({name}& out, serial::Reader& r, std::int16_t v) {{",
        f"  out = {name}();",
        f"  if ({check}) {{",
        f'    r.fail_version("{name}", v);',
        "  } else {",
        "    get(out, r, v);",
        "  }",
        "  return r.ok();",
        "}",
        "",
    ]
