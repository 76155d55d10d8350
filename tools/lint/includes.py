"""Containers and algorithms of the standard library whose header neither a file nor what it includes names.

The usual builds have precompiled headers, which hide that; the sanitizers' builds have none. Only headers of the project
are followed: what a library's header happens to bring is not counted.
"""
import pathlib
import re
import sys

import source

OWN = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
STANDARD = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(\w+)>", re.MULTILINE)

ALGORITHMS = ("adjacent_find all_of any_of binary_search clamp copy copy_n count count_if equal equal_range fill find find_if for_each "
              "is_sorted lexicographical_compare lower_bound max_element min_element mismatch none_of reverse rotate shuffle sort "
              "stable_sort transform unique upper_bound").split()

USES = {header: re.compile(pattern) for header, pattern in (
    ("algorithm", r"\bstd::ranges::(" + "|".join(ALGORITHMS) + r")\b"),
    ("array", r"\bstd::array<"),
    ("deque", r"\bstd::deque<"),
    ("list", r"\bstd::list<"),
    ("map", r"\bstd::(multi)?map<"),
    ("set", r"\bstd::(multi)?set<"),
    ("unordered_map", r"\bstd::unordered_(multi)?map<"),
    ("unordered_set", r"\bstd::unordered_(multi)?set<"),
)}


class Sources:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self._texts = {}
        self._named = {}

    def text(self, path):
        if path not in self._texts:
            self._texts[path] = source.blank_comments(source.read(self.root, path))
        return self._texts[path]

    def _resolve(self, include):
        for path in ("src/" + include, include):
            if (self.root / path).is_file():
                return path
        return None

    def named(self, path):
        """Standard headers that the file names, or a header of the project that it includes."""
        if path not in self._named:
            self._named[path] = set()  # Ends a circle.
            own = filter(None, map(self._resolve, OWN.findall(self.text(path))))
            self._named[path] = set(STANDARD.findall(self.text(path))).union(*map(self.named, own))
        return self._named[path]


def check(root, _options):
    sources = Sources(root)
    for path in source.files(root, ".h", ".cc"):
        if not path.startswith(("src/", "tests/")):
            continue
        text = source.blank_literals(sources.text(path))
        for header, use in USES.items():
            found = use.search(text)
            if found and header not in sources.named(path):
                yield source.Finding(path, source.line_of(text, found.start()), f"{found.group()}; include <{header}>")


if __name__ == "__main__":
    sys.exit(source.main("includes", check))
