"""Runs clang-tidy over the files of a build tree's compile commands, as many at a time as there are cores.

A file that was clean is not read again while neither it, nor a header of ours that it includes (by Ninja's record of the
last build), nor .clang-tidy has changed: build/tidy holds one empty file per clean state.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In tests, only what makes a test lie or crash: the frameworks' macros make every other check slow and noisy.
TEST_CHECKS = ("-*,bugprone-use-after-move,cppcoreguidelines-avoid-capturing-lambda-coroutines,"
               "cppcoreguidelines-no-suspend-with-lock,misc-coroutine-hostile-raii")


def ninja_deps(build):
    """{object: [files it was made from]} as Ninja recorded them."""
    answer = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True)
    deps, current = {}, None
    for line in answer.stdout.splitlines():
        if line.startswith("    ") and current:
            deps[current].append(line.strip())
        elif ": #deps" in line:
            current = line.partition(": #deps")[0]
            deps[current] = []
    return deps


def state_key(command, deps, build, digests):
    """A hash over everything of ours that clang-tidy's answer for this file depends on."""
    def digest(path):
        if path not in digests:
            digests[path] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "absent"
        return digests[path]
    inputs = {ROOT / ".clang-tidy", ROOT / "tools/lint/tidy.py", pathlib.Path(command["file"])}
    for name in deps.get(command.get("output", ""), []):
        path = (build / name).resolve()
        if path.is_relative_to(ROOT) and "CMakeFiles" not in path.parts:
            inputs.add(path)
    text = command["command"] + "".join(f"{path.relative_to(ROOT)} {digest(path)}\n" for path in sorted(inputs))
    return hashlib.sha256(text.encode()).hexdigest()


def changed_files():
    answer = subprocess.run(["git", "-C", ROOT, "status", "--porcelain", "-uall", "-z"],
                            capture_output=True, text=True, check=True)
    return {str(ROOT / item[3:]) for item in answer.stdout.split("\0") if item}


def tidy(path, build):
    checks = [f"--checks={TEST_CHECKS}"] if path.endswith(("_test.cc", "_fuzz.cc", "_bench.cc")) else []
    answer = subprocess.run(["clang-tidy-19", "-p", build, "--quiet", *checks, path],
                            capture_output=True, text=True, check=False)
    # Counts of suppressed warnings of system headers are noise.
    noise = re.sub(r"^\d+ warnings? .*generated\.\n", "", answer.stderr, flags=re.MULTILINE)
    return answer.returncode == 0 and "warning:" not in answer.stdout, answer.stdout + (noise if answer.returncode else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--changed", action="store_true")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    clean = ROOT / "build" / "tidy"
    clean.mkdir(parents=True, exist_ok=True)
    deps, digests = ninja_deps(build), {}
    commands = [c for c in json.loads((build / "compile_commands.json").read_text())
                if pathlib.Path(c["file"]).is_relative_to(ROOT / "src")]
    if options.changed:
        wanted = changed_files()
        commands = [c for c in commands if c["file"] in wanted]
    stamps = {c["file"]: clean / state_key(c, deps, build, digests) for c in commands}
    todo = sorted(path for path, stamp in stamps.items() if not stamp.exists())
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (good, output) in zip(todo, pool.map(lambda p: tidy(p, build), todo)):
            if good:
                stamps[path].touch()
            else:
                bad += 1
                print(output.replace(f"{ROOT}/", ""))
    print(f"clang-tidy: {len(stamps)} files, {len(todo)} read, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
