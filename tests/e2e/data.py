"""Real text: the history of this repository as JSON lines, and a CSV file of a chosen size."""
import json
import random
import subprocess

from harness.broker import ROOT

FIELDS = {"commit": "%H", "tree": "%T", "author": "%an", "time": "%aI", "subject": "%s", "body": "%b"}
ROWS_PER_BLOCK = 2000


def write_git_log(path, repeat=1):
    """One line per commit, `repeat` times over with the round noted. Lines of it may be long. Gives the lines written."""
    pattern = "%x1e" + "%x1f".join(FIELDS.values())
    done = subprocess.run(["git", "-C", str(ROOT), "log", f"--format={pattern}", "--numstat"], capture_output=True, check=True)
    commits = []
    for entry in done.stdout.decode(errors="replace").split("\x1e")[1:]:
        *values, rest = entry.split("\x1f")
        body, _, files = rest.rpartition("\n\n")
        commit = dict(zip(FIELDS, [*values, body.strip()]))
        commit["files"] = [line.split("\t") for line in files.splitlines() if "\t" in line]
        commits.append(commit)
    with open(path, "w", encoding="utf-8") as out:
        for turn in range(repeat):
            for commit in commits:
                out.write(json.dumps({"round": turn, **commit}, ensure_ascii=False) + "\n")
    return repeat * len(commits)


def write_csv(path, bytes_min, seed):
    """Rows with a running number, so that no two are equal. Gives the rows written, without the head."""
    rng = random.Random(seed)
    places = ["Αθήνα", "København", "São Paulo", "Zürich", "上海", "Lviv, old town", 'the "Quay"']
    quoted = ['"' + place.replace('"', '""') + '"' for place in places]
    # The tail of a row is drawn from a block made once: a gigabyte of random numbers would take minutes.
    tails = [f",{rng.choice(quoted)},{rng.uniform(-90, 90):.6f},{rng.uniform(-180, 180):.6f},{rng.randrange(10**9)},"
             f"{'x' * rng.randrange(4)},{rng.randbytes(rng.randrange(20, 120)).hex()}\n" for _ in range(ROWS_PER_BLOCK)]
    row, size = 0, 0
    with open(path, "w", encoding="utf-8") as out:
        size += out.write("row,place,latitude,longitude,count,flag,payload\n")
        while size < bytes_min:
            size += out.write("".join([f"{row + i}{tail}" for i, tail in enumerate(tails)]))
            row += ROWS_PER_BLOCK
    return row
