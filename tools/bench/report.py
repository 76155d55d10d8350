"""Medians, spreads, ratios and verdicts of the rounds, as a table and a Markdown section.

Rounds are interleaved, so round i of one broker is compared with round i of the other: a ratio is the median of these,
and where one broker wins some rounds and loses others the answer is "cannot tell".
"""
import statistics

from targets import TARGETS

# metric: (heading, format)
METRICS = {
    "mb_per_s": ("MB/s", "{:.0f}"),
    "cpu_s_per_gib": ("broker CPU s/GiB", "{:.2f}"),
    "broker_cores": ("broker cores", "{:.2f}"),
    "peak_rss_mib": ("peak RSS MiB", "{:.0f}"),
    "client_cores": ("client cores", "{:.2f}"),
    "written_per_byte": ("bytes written per byte", "{:.2f}"),
    "store_requests_per_gib": ("store requests per GiB", "{:.0f}"),
    "store_usd_per_gib": ("store requests, USD per GiB", "{:.5f}"),
    "store_cpu_s_per_gib": ("the store's CPU s/GiB", "{:.2f}"),
    "driver_cpu_s_per_gib": ("of it the store's driver", "{:.2f}"),
    "proxy_cores": ("cores of the proxy before the store", "{:.2f}"),
    "store_requests_per_s": ("store requests per s", "{:.1f}"),
    "store_requests_by_few": ("the same / with 1,000 partitions", "{:.2f}"),
    "few_broker_cores": ("broker cores with 1,000 partitions", "{:.2f}"),
    "records_per_s": ("records/s", "{:.0f}"),
    "read_share": ("records read / produced", "{:.3f}"),
    "in_out_mb_per_core": ("MB/s in and out per broker core", "{:.0f}"),
    "out_mb_per_s": ("MB/s out", "{:.0f}"),
    "stored_percent": ("stored, % of what came", "{:.0f}"),
    "month_usd": ("`weir cost`, USD a month at 11 Gbps", "{:.0f}"),
    "model_p50_ms": ("the model's p50 ms", "{:.0f}"),
    "model_p99_ms": ("the model's p99 ms", "{:.0f}"),
    "p50_by_model": ("p50 / the model's", "{:.2f}"),
    "p99_by_model": ("p99 / the model's", "{:.2f}"),
    "offsets_per_s": ("offsets/s", "{:.0f}"),
    "cpu_us_per_offset": ("broker CPU us/offset", "{:.1f}"),
    "p50_ms": ("p50 ms", "{:.2f}"),
    "p99_ms": ("p99 ms", "{:.2f}"),
    "p50_us": ("p50 us", "{:.0f}"),
    "p99_us": ("p99 us", "{:.0f}"),
    "p99_alone_ms": ("p99 ms without them", "{:.2f}"),
    "connect_p99_ms": ("connect p99 ms", "{:.2f}"),
    "exec_to_metadata_ms": ("exec to Metadata ms", "{:.0f}"),
    "idle_rss_mib": ("idle RSS MiB", "{:.0f}"),
    "kib_per_connection": ("KiB per connection", "{:.1f}"),
}
NO_RATIO = ("client_cores", "store_requests_per_gib", "store_usd_per_gib", "store_cpu_s_per_gib")
LIMITS = {
    "receive": "receive", "crc": "receive + CRC32C", "write": "+ write to the page cache", "sync": "+ fdatasync per 8 MiB"}
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
CANNOT_TELL = "cannot tell"
MORE_IS_BETTER = ("at least", "above")


def spread(values, pattern):
    """`median (least-greatest)`."""
    if not values:
        return "-"
    middle = pattern.format(statistics.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({pattern.format(min(values))}-{pattern.format(max(values))})"


def ratios(weir, kafka):
    """Round by round."""
    return [own / theirs for own, theirs in zip(weir, kafka) if theirs]


def ratio_text(values):
    if not values:
        return "-"
    value = statistics.median(values)
    text = f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"
    return text + (f" ({CANNOT_TELL})" if len(values) > 1 and min(values) < 1 < max(values) else "")


def judged(kind, limit, values):
    """`values` are those of the rounds, in the target's terms."""
    if not values:
        return "not measured"
    if len(values) > 1 and min(values) < limit < max(values):
        return CANNOT_TELL
    value = statistics.median(values)
    good = value >= limit if kind in MORE_IS_BETTER else value <= limit
    return "met" if good else "MISSED"


def target_texts(row, metric, weir, kafka, machine):
    """What was promised for this figure, and what became of it."""
    for wanted, kind, limit in TARGETS.get(row, ()):
        if wanted != metric:
            continue
        if kind in ("at least", "at most"):
            yield f"{kind} {limit:g} x Kafka's: {judged(kind, limit, ratios(weir, kafka))}"
        elif kind in ("of limit", "of fdatasync"):
            name, what = (("write_cpu_s_per_gib", "the machine's limit") if kind == "of limit" else
                          ("fdatasync_p99_ms", "the disk's fdatasync"))
            values = ratios(weir, machine.get(name, []))
            found = f"{statistics.median(values):.1f} x, " if values else ""
            yield f"at most {limit:g} x {what}: {found}{judged('below', limit, values)}"
        else:
            yield f"{kind} {limit:g}: {judged(kind, limit, weir)}"


def row_lines(row, what, metrics, found, machine):
    """[row, what, figure, weir, Kafka, ratio, target] of one row."""
    weir, kafka = (found.get(name, {}) for name in ("weir", "kafka"))
    head = [row, what]
    for metric in metrics:
        heading, pattern = METRICS[metric]
        own, theirs = weir.get(metric, []), kafka.get(metric, [])
        if not own and not theirs:
            continue
        ratio = "" if metric in NO_RATIO or not theirs else ratio_text(ratios(own, theirs))
        yield [*head, heading, spread(own, pattern), spread(theirs, pattern), ratio,
               "; ".join(target_texts(row, metric, own, theirs, machine))]
        head = ["", ""]


def lines(document):
    """`document["rows"]` is {row: [what, metrics]}, `document["results"]` {row: {server: {metric: [values]}}}."""
    machine = document.get("limit", {})
    for name, what in LIMITS.items():
        for metric, label in (("mb_per_s", "MB/s"), ("cpu_s_per_gib", "CPU s/GiB")):
            values = machine.get(f"{name}_{metric}", [])
            if values:
                yield ["limit", f"this machine: {what}", label,
                       spread(values, "{:.0f}" if metric == "mb_per_s" else "{:.2f}"), "", "", ""]
    if machine.get("fdatasync_p99_ms"):
        yield ["limit", "append 64 KiB, fdatasync", "p50 / p99 ms", " / ".join(
            spread(machine[f"fdatasync_{part}_ms"], "{:.2f}") for part in ("p50", "p99")), "", "", ""]
    for row, (what, metrics) in document["rows"].items():
        for name, where in ((row, what), (row + "/pin", what + ", a core for each side")):
            if name in document["results"]:
                yield from row_lines(name, where, metrics, document["results"][name], machine)


HEADINGS = ["row", "scenario", "figure", "weir", "Kafka", "weir / Kafka", "target"]


def table(document):
    cells = [HEADINGS, *lines(document)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADINGS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def markdown(document, figures=()):
    """The generated section of docs/performance.md; `figures` are the names of pictures below docs/."""
    out = [BEGIN, f"Machine: {document['machine']}. Load average before the run {document['load']:.1f}.",
           f"Versions: {document['versions']}. {document['rounds']} rounds, interleaved, {document['volume_mib']} MiB per "
           f"full-speed row. Command: `{document['command']}`", ""]
    out += [f"![{name.rpartition('/')[2]}]({name})" for name in figures]
    out += ["", "| " + " | ".join(HEADINGS) + " |", "|---" * len(HEADINGS) + "|"]
    out += ["| " + " | ".join(line) + " |" for line in lines(document)]
    return "\n".join([*out, END])


def write_markdown(path, document, figures=()):
    """Replaces the generated section of the page."""
    page = path.read_text()
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise RuntimeError(f"{path} has no section between {BEGIN} and {END}")
    path.write_text(head + markdown(document, figures) + tail)


def moved(before, now):
    """One sentence for each figure of weir whose values do not overlap with those of an earlier document."""
    for row, servers in now["results"].items():
        for metric, values in servers.get("weir", {}).items():
            old = before["results"].get(row, {}).get("weir", {}).get(metric, [])
            if metric not in METRICS or not old or not values:
                continue
            if max(old) < min(values) or max(values) < min(old):
                heading, pattern = METRICS[metric]
                change = statistics.median(values) / statistics.median(old) - 1 if statistics.median(old) else 0
                yield f"{row} {heading}: {spread(old, pattern)} -> {spread(values, pattern)}, {change:+.0%}"
