"""Words that may not occur in src/, each with the reason's short form and what to write instead.

A place that must use one all the same says so on its line or the line before: `// LINT(name): reason`.
"""
import dataclasses
import re
import sys

import source


@dataclasses.dataclass(frozen=True)
class Ban:
    name: str
    pattern: str
    instead: str
    allowed: tuple = ()  # Starts of paths below src/ where it is right.
    tests_may: bool = False
    unless_after: str = "(?!)"  # Fine where the text before it ends like this.

    def permits(self, inner, is_test):
        return (is_test and self.tests_may) or inner.startswith(self.allowed or ("\0",))


REAL_WORLD = ("rt/asio/", "app/")
PRINTERS = ("cli/", "app/")

BANS = (
    Ban("print", r"\bstd::(cout|cerr|clog)\b|(?<![\w.>])(std::)?(printf|puts|putchar|fprintf|vprintf|perror)\s*\(",
        "take a Logger, or return text; only cli and app print", PRINTERS + ("base/ensure.cc",), tests_may=True),
    Ban("rand", r"(?<![\w.>])(std::)?s?rand\s*\(|\bstd::(random_device|mt19937(_64)?|default_random_engine)\b",
        "take a rt::Random, so that a seed replays the run", ("rt/asio/",), tests_may=True),
    Ban("clock", r"\b(system_clock|steady_clock|high_resolution_clock)::now\b|(?<![\w.>:])(std::)?time\s*\(\s*(NULL|nullptr|0|&)"
        r"|\b(clock_)?gettime(ofday)?\s*\(",
        "take the time from the rt::Loop that you were handed", ("rt/asio/",)),
    Ban("sleep", r"\bstd::this_thread::sleep_(for|until)\b|(?<![\w.>:])(::)?(usleep|nanosleep|sleep)\s*\(",
        "co_await a timer of the rt::Loop"),
    Ban("new", r"\bnew\b(?!\s*\()\s*[\w:<(]|\bdelete\b\s*(\[\s*\])?\s*[\w(*]",
        "std::make_unique, a value or a container", ("base/bytes",),
        unless_after=r"unique_ptr<[^;]*\(\s*"),  # How a factory calls a private constructor.
    Ban("malloc", r"(?<![\w.>])(std::)?(malloc|calloc|realloc|free)\s*\(",
        "Buffer, a value or a container", ("base/bytes", "base/arena")),
    Ban("throw", r"\bthrow\b", "return an Error; a bug is an ENSURE"),
    Ban("assert", r"(?<![\w.])assert\s*\(|#\s*include\s*<cassert>", "ENSURE for our own bugs, a Result for what others cause"),
    Ban("regex", r"\bstd::w?(regex|smatch|cmatch)\b|#\s*include\s*<regex>",
        "RE2, or plain string functions: std::regex recurses on its input"),
    Ban("thread", r"\bstd::j?thread\b(?!::id)|\bpthread_create\b|\bstd::async\b",
        "rt::Workers for slow work, a task in a rt::Scope for the rest", REAL_WORLD + ("rt/sim/jobs",), tests_may=True),
    Ban("thread_local", r"\bthread_local\b", "state that belongs to an object that is handed in"),
    Ban("reinterpret_cast", r"\breinterpret_cast\b", "the views of base/bytes.h and base/endian.h", ("base/", "rt/asio/", "codec/", "crypto/")),
    Ban("const_cast", r"\bconst_cast\b", "a mutable view from the start", ("base/", "codec/", "rt/asio/")),
    Ban("getenv", r"(?<![\w.>])(std::|::)?(getenv|secure_getenv|setenv)\s*\(",
        "an option that app reads and hands in", PRINTERS, tests_may=True),
    Ban("exit", r"(?<![\w.>:])((std::|::)(exit|terminate)\s*\(|exit\s*\(\s*\w|(std::|::)?(_exit|quick_exit|abort)\s*\()",
        "return an Error to main, or ENSURE", PRINTERS + ("base/ensure.cc",), tests_may=True),
    Ban("detach", r"\.detach\s*\(\s*\)", "join it: every task and thread belongs to somebody"),
    Ban("volatile", r"\bvolatile\b", "std::atomic"),
    Ban("using_namespace", r"\busing\s+namespace\s+std\b", "name what you use"),
)

COMMENT_BANS = (
    ("FIXME", r"\bFIX" r"ME\b", "mend it, or write TODO(soon|perf|security|cleanup): …"),
    ("TODO", r"\bTODO\b(?!\((soon|perf|security|cleanup)\): \S)", "write TODO(soon|perf|security|cleanup): …"),
    ("NOLINT", r"NOLINT(NEXTLINE|BEGIN)?\b(?!\([\w.,\- *]+\): \S)(?!END)", "name the check and the reason: NOLINT(check): reason"),
)

BEFORE_CHARS = 200
EXCUSE = re.compile(r"LINT\((\w+)\): \S")


def excused(name, lines, number):
    """True if the line or the one before carries a reason for `name`."""
    near = lines[max(0, number - 2):number]
    return any(match.group(1) == name for line in near for match in EXCUSE.finditer(line))


def check_file(root, path):
    original = source.read(root, path)
    lines = original.splitlines()
    text = source.blank_literals(original)
    inner = path.removeprefix("src/")
    is_test = source.is_test(path)
    for ban in BANS:
        if ban.permits(inner, is_test):
            continue
        for match in re.finditer(ban.pattern, text):
            number = source.line_of(text, match.start())
            before = text[max(0, match.start() - BEFORE_CHARS):match.start()]
            if not re.search(f"(?:{ban.unless_after})$", before) and not excused(ban.name, lines, number):
                yield source.Finding(path, number, f"{match.group().strip()!r} is banned ({ban.name}); instead: {ban.instead}")


def check(root, _options=None):
    for path in source.files(root, ".h", ".cc", under="src"):
        yield from check_file(root, path)
    for path in source.files(root, ".h", ".cc", ".py", ".sh", ".cmake", ".txt"):
        if path.startswith("tools/lint/"):
            continue
        for number, line in enumerate(source.read(root, path).splitlines(), 1):
            for name, pattern, instead in COMMENT_BANS:
                if re.search(pattern, line):
                    yield source.Finding(path, number, f"{name} as written here cannot be merged; {instead}")


if __name__ == "__main__":
    sys.exit(source.main("banned", check))
