"""Documentation that must keep up with the code.

Each page of docs/formats/ names its golden test in a line "Golden test: `path`", and that file names the page; each
*golden_test.cc is named by a page, but for those of layers whose formats are Kafka's. Relative links in Markdown lead somewhere, headings included. Each directory below
src/ that holds code has a README. A section of docs/design.md that something cites exists.
"""
import pathlib
import re
import sys

import source

KAFKA_FORMATS = ("src/codec/", "src/record/", "src/wire/")
GOLDEN = re.compile(r"^Golden tests?: (.*)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
IMAGE = re.compile(r"!\[[^\]\n]*\]\(([^)\s]+)\)")
CITATION = re.compile(r"design\.md,\s*(?:(?://|#)\s*)?(\d+)([a-z])?\b")
SECTION = re.compile(r"^## (\d+)\. ", re.MULTILINE)
DUTY = re.compile(r"^- \*\*([a-z])\. ", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def check_formats(root):
    named = set()
    pages = [p for p in source.files(root, ".md", under="docs/formats") if not p.endswith("/README.md")]
    for page in pages:
        match = GOLDEN.search(source.read(root, page))
        tests = re.findall(r"`([^`]+)`", match.group(1)) if match else []
        if not tests:
            yield source.Finding(page, 1, "names no golden test; add a line \"Golden test: `src/…_test.cc`\"")
        for test in tests:
            named.add(test)
            if not pathlib.Path(root, test).is_file():
                yield source.Finding(page, 1, f"its golden test {test} does not exist")
            elif page not in source.read(root, test):
                yield source.Finding(test, 1, f"is the golden test of {page} and does not name it")
    for test in source.files(root, "golden_test.cc", under="src"):
        if test not in named and not test.startswith(KAFKA_FORMATS):
            yield source.Finding(test, 1, "is a golden test that no page of docs/formats/ names")


def anchors(text):
    """The heading anchors of a page, as code hosts make them."""
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def check_links(root):
    for page in source.files(root, ".md"):
        text = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source.read(root, page))
        for match in list(LINK.finditer(text)) + list(IMAGE.finditer(text)):
            target, _, anchor = match.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            file = pathlib.Path(root, page).parent / target if target else pathlib.Path(root, page)
            line = source.line_of(text, match.start())
            if not file.exists():
                yield source.Finding(page, line, f"link to {target}, which does not exist")
            elif anchor and file.suffix == ".md" and anchor not in set(anchors(file.read_text())):
                yield source.Finding(page, line, f"link to #{anchor}, which is no heading of {file.name}")


def check_readmes(root):
    directories = {str(pathlib.PurePosixPath(path).parent) for path in source.files(root, ".h", ".cc", under="src")}
    for directory in sorted(directories):
        if not pathlib.Path(root, directory, "README.md").is_file():
            yield source.Finding(directory, 1, "has no README.md: what belongs here, what does not, what to read first")


def sections(text):
    """{number: letters of its duties} of a design page."""
    starts = list(SECTION.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return {match.group(1): set(DUTY.findall(text[match.start():end])) for match, end in zip(starts, ends)}


def check_citations(root):
    page = pathlib.Path(root, "docs/design.md")
    known = sections(page.read_text()) if page.is_file() else {}
    for path in source.files(root, ".h", ".cc", ".py", ".md", ".sh", ".txt", ".json"):
        if path.startswith(("tools/lint/", "tests/lint/")):
            continue
        text = source.read(root, path)
        for match in CITATION.finditer(text):
            number, letter = match.groups()
            if number not in known or (letter and letter not in known[number]):
                yield source.Finding(path, source.line_of(text, match.start()),
                                     f"cites section {number}{letter or ''} of docs/design.md, which does not exist")


def check(root, _options=None):
    yield from check_formats(root)
    yield from check_links(root)
    yield from check_readmes(root)
    yield from check_citations(root)


if __name__ == "__main__":
    sys.exit(source.main("docs", check))
