"""What the lints share: which files there are, C++ text without comments and strings, and how a finding is reported.

Lines keep their numbers under `blank_comments` and `blank_literals`: blanked text becomes spaces.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

SKIPPED_DIRECTORIES = {".git", "build", "node_modules", "__pycache__", ".cache"}


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    what: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}"


def files(root, *suffixes, under=""):
    """Paths relative to root, sorted. Inside a git checkout, ignored files are left out."""
    names = _git_files(root) or _walked_files(root)
    prefix = under + "/" if under else ""
    return [name for name in names if name.startswith(prefix) and (not suffixes or name.endswith(suffixes))]


def _git_files(root):
    if not (pathlib.Path(root) / ".git").exists():
        return None
    answer = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        return None
    return sorted({name for name in answer.stdout.split("\0") if name and (pathlib.Path(root) / name).is_file()})


def _walked_files(root):
    found = []
    for directory, children, names in os.walk(root):
        children[:] = [child for child in children if child not in SKIPPED_DIRECTORIES]
        found += [str(pathlib.Path(directory, name).relative_to(root)) for name in names]
    return sorted(found)


def read(root, path):
    return pathlib.Path(root, path).read_text(encoding="utf-8", errors="replace")


_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<digits>\b\d[\w.]*(?:'[\w.]+)+)
      | (?P<char>'(?:\\.|[^'\\\n])+')""",
    re.DOTALL | re.VERBOSE)


def _spaces(text):
    return re.sub(r"[^\n]", " ", text)


def blank_comments(text):
    """C++ text whose comments are spaces; string literals stay (include paths are among them)."""
    return _TOKEN.sub(lambda m: _spaces(m.group()) if m.lastgroup == "comment" else m.group(), text)


def blank_literals(text):
    """C++ text whose comments and the insides of whose literals are spaces."""
    def blank(match):
        token = match.group()
        if match.group("comment"):
            return _spaces(token)
        if match.group("digits"):
            return token
        return token[0] + _spaces(token[1:-1]) + token[-1]
    return _TOKEN.sub(blank, text)


_TEST_FILE = re.compile(r"_(test|fuzz|bench|harness|test_support)\.(h|cc)$|/test_\w+\.(h|cc)$|/testing/|/conformance_\w+\.(h|cc)$")


def is_test(path):
    """True for tests, fuzz targets, benchmarks, and what only they include."""
    return bool(_TEST_FILE.search(path))


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def main(name, check, *flags):
    """The command line of a lint: `check(root, options)` yields findings."""
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2])
    for flag, text in flags:
        parser.add_argument(flag, action="store_true", help=text)
    options = parser.parse_args()
    findings = sorted(set(check(options.root, options)))
    for finding in findings:
        print(finding)
    print(f"{name}: {len(findings)} findings" if findings else f"{name}: clean")
    sys.exit(1 if findings else 0)
