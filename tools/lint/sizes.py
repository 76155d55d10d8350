"""Length of files and functions: a file has at most 400 lines, a function 70, a directory's README 15.

sizes_allowed.txt names what is over today with its length. Such a thing may only shrink: longer is a finding, and so is
a line that allows more than there is (`--update` lowers and removes lines, it never raises or adds one). 800 lines is
the hard stop of a file, which nothing may allow.
"""
import ast
import pathlib
import re
import sys

import source

FILE_LINES_MAX = 400
FILE_LINES_STOP = 800
FUNCTION_LINES_MAX = 70
README_LINES_MAX = 15
LIST = object()
ALLOWED = "tools/lint/sizes_allowed.txt"

NOT_A_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum|concept|extern)\b(?![^{]*\)\s*(const|noexcept|override|final|->|:|requires|$))")


# The text before a brace that initialises a member in a constructor's list, as in `Thing(int x) : x_(x), y_`.
MEMBER_OF_LIST = re.compile(r"\)[^(){};]*(?<!:):(?!:)[^;]*(?<=[\s,])[\w:<>]+\s*$")


def _blank_directives(text):
    """Preprocessor lines, continued ones too, become empty: their braces balance nothing."""
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.MULTILINE)


def _head_name(head):
    """The name of the function whose text before `{` is `head`, or None if that opens something else."""
    head = " ".join(head.split())
    if not head or "(" not in head or NOT_A_FUNCTION.search(head) or re.search(r"=\s*$", head):
        return None
    before = re.match(r"(?:\[\[[^\]]*\]\]\s*)?(.*?)\((?!\s*\)\s*\()", head)
    words = re.findall(r"[~\w:]+", before.group(1)) if before else []
    if not words:
        return None
    if words[-1] in ("TEST", "TEST_F", "TEST_P", "TYPED_TEST", "RC_GTEST_PROP"):
        return ".".join(re.findall(r"\w+", head[before.end():])[:2])
    return words[-1].strip(":")


def cpp_functions(text):
    """(name, first line, lines) of each outermost function body."""
    text = _blank_directives(source.blank_literals(text))
    stack = []  # One item per open brace: (name, position), name None for what is no function.
    inside = 0
    head_start = 0
    for match in re.finditer(r"[{};]", text):
        position, mark = match.start(), match.group()
        if mark == "{" and not inside and MEMBER_OF_LIST.search(text[head_start:position]):
            stack.append((LIST, head_start))
            continue
        if mark == "{":
            name = None if inside else _head_name(text[head_start:position])
            stack.append((name, head_start))
            inside += name is not None
        elif mark == "}" and stack:
            name, start = stack.pop()
            if name is LIST:
                continue
            if name is not None:
                inside -= 1
                start += re.match(r"\s*((public|private|protected)\s*:\s*)*", text[start:position]).end()
                first = source.line_of(text, start)
                yield name, first, source.line_of(text, position) - first + 1
        head_start = position + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def measured(root):
    """(key, path, line, length, limit, what) of everything over its limit."""
    for path in source.files(root, ".h", ".cc", ".py", ".sh", ".cmake"):
        text = source.read(root, path)
        lines = text.count("\n")
        if lines > FILE_LINES_MAX:
            yield path, path, 1, lines, FILE_LINES_MAX, "file"
        functions = {".h": cpp_functions, ".cc": cpp_functions, ".py": python_functions}.get(pathlib.Path(path).suffix)
        for name, line, length in functions(text) if functions else ():
            if length > FUNCTION_LINES_MAX:
                yield f"{path}::{name}", path, line, length, FUNCTION_LINES_MAX, f"function {name}"
    for path in source.files(root, "/README.md"):
        lines = source.read(root, path).count("\n")
        if lines > README_LINES_MAX:
            yield path, path, 1, lines, README_LINES_MAX, "README"


def read_allowed(root):
    file = pathlib.Path(root, ALLOWED)
    rows = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
    return {row[0]: int(row[1]) for row in rows if row and not row[0].startswith("#")}


def update(root, over, allowed):
    file = pathlib.Path(root, ALLOWED)
    head = [line for line in file.read_text().splitlines() if line.startswith("#")]
    rows = [f"{key} {min(length, over[key])}" for key, length in sorted(allowed.items()) if key in over]
    file.write_text("\n".join(head + rows) + "\n")


def check(root, options=None):
    allowed = read_allowed(root)
    over = {}
    for key, path, line, length, limit, what in measured(root):
        over[key] = max(length, over.get(key, 0))
        if what == "file" and length > FILE_LINES_STOP:
            yield source.Finding(path, line, f"{what} has {length} lines; {FILE_LINES_STOP} is the hard stop: split it")
        elif length > allowed.get(key, limit):
            yield source.Finding(path, line, f"{what} has {length} lines, {allowed.get(key, limit)} are allowed; split it")
    if getattr(options, "update", False):
        update(root, over, allowed)
        return
    for key, length in allowed.items():
        if over.get(key, 0) < length:
            yield source.Finding(ALLOWED, 1, f"{key} has shrunk below {length}; run tools/lint/sizes.py --update")


if __name__ == "__main__":
    sys.exit(source.main("sizes", check, ("--update", "lower and remove lines of sizes_allowed.txt")))
