"""Includes against src/LAYERS: a directory may include only the layers that its line lists, and itself.

Libraries from outside are bound to layers too, by externals.txt: who may include OpenSSL is as much a part of the
design as who may include the engine. A test may also use both worlds (rt/sim, rt/asio), the layers that stand above its
own in src/LAYERS, and the test frameworks.
"""
import pathlib
import re
import sys

import source

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)

WORLDS = ("rt", "rt/sim", "rt/asio")


def read_layers(root):
    """{layer: layers it may include}, in order."""
    layers = {}
    for line in source.read(root, "src/LAYERS").splitlines():
        if not re.match(r"[a-z]", line):
            continue
        name, _, rest = line.partition(":")
        layers[name] = set(layers) if rest.strip() == "*" else set(rest.split())
    return layers


def read_externals(root):
    """[(prefix of a header, layers that may include it)], longest prefix first."""
    rows = []
    for line in source.read(root, "tools/lint/externals.txt").splitlines():
        line = line.partition("#")[0].strip()
        if line:
            prefix, _, rest = line.partition(":")
            rows.append((prefix, set(rest.split())))
    return sorted(rows, key=lambda row: -len(row[0]))


def layer_of(path, layers):
    """The deepest layer that holds src/-relative `path`, or None."""
    parts = pathlib.PurePosixPath(path).parts[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in layers:
            return "/".join(parts[:length])
    return None


def check_own(layer, header, layers, is_test):
    if ".." in pathlib.PurePosixPath(header).parts or "/" not in header:
        return f'"{header}" is not relative to src/; write the whole path from there'
    target = layer_of(header, layers)
    if target is None:
        return f'"{header}" lies in no layer of src/LAYERS'
    if target == layer or target in layers[layer]:
        return None
    order = list(layers)
    if is_test and (target in WORLDS or order.index(target) < order.index(layer)):
        return None
    return f'{layer} may not include {target} ("{header}"); src/LAYERS lists: {" ".join(sorted(layers[layer])) or "nothing"}'


def check_external(layer, header, externals, is_test):
    if "/" not in header and "." not in header:
        return None  # The standard library.
    for prefix, allowed in externals:
        if header.startswith(prefix):
            if "*" in allowed or layer in allowed or (is_test and "tests" in allowed):
                return None
            return f"{layer} may not include <{header}>; tools/lint/externals.txt allows it to: {' '.join(sorted(allowed))}"
    return f"<{header}> is in no line of tools/lint/externals.txt; add who may use it, and why to docs/dependencies.md"


def check(root, _options=None):
    layers = read_layers(root)
    externals = read_externals(root)
    for path in source.files(root, ".h", ".cc", under="src"):
        inner = path.removeprefix("src/")
        layer = layer_of(inner, layers)
        if layer is None:
            yield source.Finding(path, 1, "lies in no layer; name its directory in src/LAYERS")
            continue
        text = source.blank_comments(source.read(root, path))
        is_test = source.is_test(path)
        for match in INCLUDE.finditer(text):
            own, external = match.groups()
            what = (check_own(layer, own, layers, is_test) if own
                    else check_external(layer, external, externals, is_test))
            if what:
                yield source.Finding(path, source.line_of(text, match.start(1 if own else 2)), what)


if __name__ == "__main__":
    sys.exit(source.main("layers", check))
