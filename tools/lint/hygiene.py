"""Nothing of a developer's machine may be in the project: no paths of it, no host of a package registry, no words about
how the project came to be written, no citation of a page that a reader of the project cannot open.

The patterns are written in pieces so that this file does not match itself.
"""
import re
import sys

import source

PATTERNS = (
    (r"(?<![\w.])/(" + "wo" + r"rk|ro" + r"ot|fa" + r"rm)(/|\b(?!\w))(?=\S)|/tmp/se" + r"tup\b|/mnt/\w+",
     "a path of one machine; take it from an option or make it relative"),
    (r"\b(deb\.debian\.org|archive\.ubuntu\.com|pypi\.o" + r"rg|files\.pythonhosted\.org|registry\.npmjs\.o" + r"rg"
     r"|registry\.yarnpkg\.com|repo1?\.maven\.(org|apache\.org)|maven\.google\.com|proxy\.golang\.o" + r"rg|sum\.golang\.org"
     r"|static\.crates\.io|index\.crates\.io|docker\.io|ghcr\.io|quay\.io|packages\.cloud\.google\.com)\b",
     "a registry's host; its client knows where it is"),
    (r"(?i)\b(clau" + r"de|anthr" + r"opic|chat" + r"gpt|open" + r"ai|co" + r"pilot|sub-?ag" + r"ents?|language mo" + r"del|LL" + r"Ms?)\b",
     "how a text was written is no part of it"),
    (r"\bworking ses" + r"sion\b|\bhelper ses" + r"sion\b|\bissues sh" + r"ow\b|\bsha" + r"red/(spec|DES|STY|BEH|PEE|TES)",
     "a tool of the place where this was written"),
    (r"\b(DES" + r"IGN|STY" + r"LE|BEHAV" + r"IOUR|PE" + r"ERS)(\.md)?\b",
     "a page that the project does not hold; cite docs/ or say it here"),
)
SUFFIXES_BINARY = (".png", ".jpg", ".gz", ".zst", ".lz4", ".snappy", ".bin", ".jar", ".ico", ".woff2")


def check(root, _options=None):
    for path in source.files(root):
        if path.endswith(SUFFIXES_BINARY) or path == "LICENSE":
            continue
        for number, line in enumerate(source.read(root, path).splitlines(), 1):
            for pattern, why in PATTERNS:
                match = re.search(pattern, line)
                if match:
                    yield source.Finding(path, number, f"{match.group()!r}: {why}")


if __name__ == "__main__":
    sys.exit(source.main("hygiene", check))
