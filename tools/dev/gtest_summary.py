"""Counts what GoogleTest programs reported: gtest_summary.py REPORTS BUILD_TREE.

Prints one line. Fails if a program of the build tree left no report (it died, or was not run), or if nothing was
run: a suite that ran nothing has proved nothing. Skips are listed with their reasons; WEIR_REQUIRE_ALL=1 fails on them.
"""
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml


def registered_programs(build_tree):
    """The test programs of the build tree that CTest knows; of one that was never built it knows the test's name only.

    Other commands (Python tests, scripts) leave no report of this kind; CTest's exit status speaks for them.
    """
    answer = subprocess.run(["ctest", "--test-dir", build_tree, "--show-only=json-v1"],
                            capture_output=True, text=True, check=True)
    names = set()
    for test in json.loads(answer.stdout)["tests"]:
        program = pathlib.Path(test["command"][0]) if test.get("command") else None
        if program is None:
            names.add(test["name"])
        elif program.is_relative_to(pathlib.Path(build_tree).resolve()):
            names.add(program.name)
    return names


def summarise(reports):
    """Totals over all report files, and the reasons of skipped tests."""
    totals = {"tests": 0, "failures": 0, "disabled": 0}
    skips = []
    for path in sorted(pathlib.Path(reports).glob("*.xml")):
        root = xml.parse(path).getroot()
        for key in totals:
            totals[key] += int(root.get(key, 0))
        for case in root.iter("testcase"):
            for skipped in case.iter("skipped"):
                reason = (skipped.get("message") or "no reason").strip().splitlines()[-1]
                skips.append(f"{case.get('classname')}.{case.get('name')}: {reason}")
    return totals, skips


def main(reports, build_tree):
    totals, skips = summarise(reports)
    names = {path.stem for path in pathlib.Path(reports).glob("*.xml")}
    silent = sorted(registered_programs(build_tree) - names)
    run = totals["tests"] - totals["disabled"] - len(skips)
    print(f"{len(names)} programs, {run} tests run, {totals['failures']} failed, "
          f"{len(skips)} skipped, {totals['disabled']} disabled")
    for skip in skips:
        print(f"skipped {skip}", file=sys.stderr)
    if silent:
        print(f"no report from: {', '.join(silent)}", file=sys.stderr)
    require_all = os.environ.get("WEIR_REQUIRE_ALL") == "1"
    return 1 if silent or run <= 0 or totals["failures"] or (require_all and skips) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
