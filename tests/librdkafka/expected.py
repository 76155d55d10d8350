"""The list of expected.txt: what each run of librdkafka's suite is expected to do on weir, and why.

A line is `RUN VERDICT REASON`. What must pass on weir is every number that a single node of Apache Kafka passes and that
needs nothing of what is not built yet. docs/compat/librdkafka.md shows the same list; `python3 expected.py` prints its tables.
"""
import pathlib
import sys
import textwrap

LIST = pathlib.Path(__file__).resolve().parent / "expected.txt"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/compat/librdkafka.md"
BEGIN = "<!-- from tests/librdkafka/expected.txt by tests/librdkafka/expected.py -->\n"
# Verdict: (what the page says about it, whether the run is expected to pass).
VERDICTS = {
    "pass": ("Pass on weir", True),
    "kafka": ("Fail on a single node of Apache Kafka 4.4.0 as well", False),
    "skips": ("Skip themselves in such a set-up, on Apache Kafka as well", False),
    "security": ("Need security, which is not built yet", False),
    "transactions": ("Need transactions, which are not built yet", False),
    "share": ("Need share groups, which are not built yet", False),
    "differs": ("Fail on weir because of a deliberate difference", False),
    "local": ("Need no broker, and are not run", False),
}


def read(path=LIST):
    """{run: (verdict, reason)}"""
    runs = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            run, verdict, reason = (line.split(maxsplit=2) + [""])[:3]
            if verdict not in VERDICTS or run in runs:
                raise ValueError(f"{path.name}: {line!r}: " + ("said twice" if run in runs else "no such verdict"))
            runs[run] = verdict, reason
    return runs


def tables(runs):
    text = [BEGIN]
    for verdict, (title, _) in VERDICTS.items():
        mine = {run: reason for run, (its, reason) in runs.items() if its == verdict}
        if not mine:
            continue
        text.append(f"\n## {title} ({len(mine)})\n\n")
        bare = [run for run, reason in mine.items() if not reason]
        if bare:
            text.append(textwrap.fill(" ".join(bare), 120) + "\n")
        if len(bare) < len(mine):
            text.append(("\n" if bare else "") + "| Number | |\n|---|---|\n")
            text.append("".join(f"| {run} | {reason} |\n" for run, reason in mine.items() if reason))
    return "".join(text)


def page_is_current(runs):
    return PAGE.read_text().endswith(tables(runs))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(PAGE.read_text().partition(BEGIN)[0] + tables(read()))
    else:
        print(tables(read()), end="")
