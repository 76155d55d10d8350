"""kafkagen: turns schema files into C++. See schemas/LANGUAGE.md for the language.

  python3 tools/kafkagen --profile wire|state|example --schemas DIR --out BUILD/gen [--list]

Files are written only where their content changes, so that nothing is compiled again in vain.
`--list` prints the files that a run would write, relative to --out, and writes nothing.
"""

import argparse
import pathlib
import sys

import emit_tables
from cpp import PROFILES, include_of
from emit_header import header
from emit_source import source
from schema import SchemaError, link, load_text


def load(directory):
    files = []
    for path in sorted(pathlib.Path(directory).glob("*.json")):
        shown = f"{path.parent.parent.name}/{path.parent.name}/{path.name}"
        files.append(load_text(path.read_text(encoding="utf-8"), shown))
    link(files)
    return files


def outputs(files, profile):
    """Everything to write: path below --out -> text."""
    result, sources = {}, []
    for file in files:
        path = include_of(profile, file.name)
        result[path] = header(file, profile)
        sources.append(path.removesuffix(".h") + ".cc")
        result[sources[-1]] = source(file, profile)
    if profile.name == "wire":
        result["wire/api_table.h"] = emit_tables.api_table_header()
        result["wire/api_table.cc"] = emit_tables.api_table_source(files)
        result["wire/recode_table.h"] = emit_tables.recode_table(files, profile)
        sources.append("wire/api_table.cc")
    else:
        result[f"{profile.directory}/kind.h"] = emit_tables.command_kind_header(files, profile)
    for index in range(profile.parts):
        lines = [emit_tables.GENERATED, "// One compiler run for several small sources."]
        lines += [f'#include "{name}"' for name in sources[index::profile.parts]]
        result[f"{profile.directory}/part_{index}.cc"] = "\n".join(lines) + "\n"
    return result


def write_changed(out, texts):
    for name, text in texts.items():
        path = pathlib.Path(out) / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(prog="kafkagen", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--profile", choices=sorted(PROFILES), required=True)
    parser.add_argument("--schemas", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    try:
        texts = outputs(load(options.schemas), PROFILES[options.profile])
    except SchemaError as error:
        print(f"kafkagen: {error}", file=sys.stderr)
        return 1
    if options.list:
        print("\n".join(texts))
    else:
        write_changed(options.out, texts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
