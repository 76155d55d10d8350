"""Where a broker's processor time goes, as a flame graph: records with perf(1) under a load, draws an SVG.

    ./dev bench --flame produce docs/performance/produce.svg
    python3 tools/bench/flamegraph.py --fold < perf-script.txt > graph.svg

Width is time, depth is the call stack, the root at the bottom. What is narrower than a pixel's half is left out, so the
picture stays small. Hovering shows the whole name and the share.
"""
import argparse
import collections
import hashlib
import html
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(ROOT / "tests")]

WIDTH, ROW, TEXT_PX, MARGIN = 1200, 15, 6.4, 24
FREQUENCY, WARM_SECONDS, RECORD_SECONDS = 997, 2, 8
DEPTH_MAX = 60
FRAME = re.compile(r"^\s+[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \(([^()]*)\)$")


def plain_name(name):
    """A C++ function without arguments, template arguments and our own namespaces."""
    if name.startswith("["):
        return name
    name = name.replace("(anonymous namespace)::", "").replace("operator()", "call")
    shorter = None
    while shorter != name:
        shorter, name = name, re.sub(r"<[^<>]*>|\([^()]*\)", "", name)
    name = re.sub(r"\b(const|volatile|&+)\s*$", "", name.strip()).strip()
    name = re.sub(r"\[clone [^\]]*\]|\.(resume|destroy|cleanup|cold|llvm)\b.*", "", name).strip()
    return re.sub(r"\bweir::", "", name.split(" ")[-1] or name) or "?"


def fold(lines):
    """{stack from the root: samples} of the output of `perf script -F comm,ip,sym,dso`."""
    stacks = collections.Counter()
    thread, frames = None, []
    for line in [*lines, "\n"]:
        if not line.strip():
            if thread is not None and frames:
                stacks[(thread, *reversed(frames[:DEPTH_MAX]))] += 1
            thread, frames = None, []
        elif thread is None:
            thread = re.sub(r"[-\d/]+$", "", line.strip()) or line.strip()
        elif match := FRAME.match(line.rstrip()):
            name = plain_name(match.group(1))
            if match.group(2) == "[unknown]":
                continue  # A frame pointer that was none.
            if name == "[unknown]":
                name = "[" + pathlib.PurePosixPath(match.group(2)).name + "]"
            if not frames or frames[-1] != name:
                frames.append(name)
    return stacks


class Node:
    def __init__(self):
        self.samples = 0
        self.children = collections.defaultdict(Node)


def tree(stacks):
    root = Node()
    for stack, count in stacks.items():
        node = root
        node.samples += count
        for name in stack:
            node = node.children[name]
            node.samples += count
    return root


def colour(name, kernel):
    """Kernel frames are blue, ours and libraries warm; equal names look alike."""
    seed = hashlib.md5(name.encode(), usedforsecurity=False).digest()[0]
    return f"hsl({205 + seed % 25},60%,{62 + seed % 14}%)" if kernel else f"hsl({10 + seed % 40},75%,{60 + seed % 14}%)"


KERNEL = ("entry_SYSCALL", "asm_", "do_syscall", "__x64_sys", "ret_from_fork")


def boxes(node, name, left, depth, total, kernel):
    """(name, left, width, depth, samples, kernel) of a node and all below it that can be seen."""
    width = node.samples / total * WIDTH
    if width < 0.5:
        return
    kernel = kernel or name.startswith(KERNEL)
    yield name, left, width, depth, node.samples, kernel
    for child, below in sorted(node.children.items()):
        yield from boxes(below, child, left, depth + 1, total, kernel)
        left += below.samples / total * WIDTH


def render(stacks, title):
    root = tree(stacks)
    total = max(1, root.samples)
    drawn = list(boxes(root, "all", 0.0, 0, total, False))
    height = (max(depth for _, _, _, depth, _, _ in drawn) + 1) * ROW + MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="10">',
           f'<rect width="100%" height="100%" fill="white"/><text x="6" y="15" font-size="13">{html.escape(title)}</text>']
    for name, left, width, depth, samples, kernel in drawn:
        y = height - (depth + 1) * ROW
        out.append(f'<g><title>{html.escape(name)} {samples / total:.1%}</title><rect x="{left:.1f}" y="{y}" '
                   f'width="{max(0.4, width - 0.4):.1f}" height="{ROW - 1}" fill="{colour(name, kernel)}"/>')
        room = int((width - 4) / TEXT_PX)
        if room >= 4:
            text = name if len(name) <= room else name[:room - 1] + "…"
            out.append(f'<text x="{left + 2:.1f}" y="{y + 10}">{html.escape(text)}</text>')
        out.append("</g>")
    return "\n".join([*out, "</svg>\n"])


def summary(stacks, count=15):
    """The functions in which most time was spent themselves, one to a line."""
    total = max(1, sum(stacks.values()))
    leaves = collections.Counter()
    for stack, samples in stacks.items():
        leaves[stack[-1]] += samples
    return "\n".join(f"{samples / total:6.1%}  {name}" for name, samples in leaves.most_common(count))


def record(pid, seconds, data):
    """Stacks of a process for a while."""
    subprocess.run(["perf", "record", "-q", "-F", str(FREQUENCY), "-g", "-p", str(pid), "-o", data, "--", "sleep",
                    str(seconds)], check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run(["perf", "script", "-i", data, "-F", "comm,ip,sym,dso"], check=True, capture_output=True,
                          text=True, errors="replace")
    return fold(done.stdout.splitlines())


def under_load(what, binary, client):
    """Stacks of a broker that takes pre-encoded batches, or gives what was written."""
    import servers
    from context import Context
    servers.check_release(binary)
    servers.Weir.binary = binary
    directory = ROOT / "build/bench/flame"
    with servers.Weir(directory) as server:
        context = Context(server, client, 1 << 30)
        topic = context.topic(16)
        if what == "consume":
            context.perf("produce", topic, raw=True, bytes=1 << 30)
            clients = [context.start("consume", topic) for _ in range(8)]
        else:
            seconds = WARM_SECONDS + RECORD_SECONDS + 1
            clients = [context.start("produce", topic, raw=True, duration=f"{seconds}s")]
        stacks = record(server.pid, RECORD_SECONDS if what == "produce" else 3, str(directory / "perf.data"))
        for client in clients:
            context.finish(client)
    return stacks


def main():
    parser = argparse.ArgumentParser(prog="./dev bench --flame")
    parser.add_argument("what", nargs="?", choices=("produce", "consume"))
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--client", metavar="PROGRAM", help="a weir whose `perf` makes the load, to look at an older broker")
    parser.add_argument("--fold", action="store_true", help="read the output of `perf script` instead")
    options = parser.parse_args()
    if options.fold:
        sys.stdout.write(render(fold(sys.stdin), "perf"))
        return
    if not options.what or not options.file:
        parser.error("name produce or consume, and a file")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    binary = os.environ.get("WEIR_BIN") or str(ROOT / "build/release/weir")
    try:
        stacks = under_load(options.what, binary, options.client or binary)
    except (RuntimeError, OSError, unittest.SkipTest, subprocess.CalledProcessError) as error:
        sys.exit(f"flame: {error}; perf is in Debian's package linux-perf")
    options.file.write_text(render(stacks, f"weir, {options.what}: on-CPU time of the broker"))
    print(summary(stacks))


if __name__ == "__main__":
    main()
