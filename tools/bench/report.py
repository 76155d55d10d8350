"""Medians, spreads and ratios of the rounds, as a table, a Markdown section and JSON."""
import statistics

# metric: (heading, format, True if more is better)
METRICS = {
    "mb_per_s": ("MB/s", "{:.0f}", True),
    "cpu_s_per_gib": ("broker CPU s/GiB", "{:.2f}", False),
    "peak_rss_mib": ("peak RSS MiB", "{:.0f}", False),
    "client_cores": ("client cores", "{:.2f}", False),
    "offsets_per_s": ("offsets/s", "{:.0f}", True),
    "cpu_us_per_offset": ("broker CPU us/offset", "{:.1f}", False),
    "p50_ms": ("p50 ms", "{:.2f}", False),
    "p99_ms": ("p99 ms", "{:.2f}", False),
    "exec_to_metadata_ms": ("exec to Metadata ms", "{:.0f}", False),
    "idle_rss_mib": ("idle RSS MiB", "{:.0f}", False),
}
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def spread(values, pattern):
    """`median (least-greatest)`."""
    if not values:
        return "-"
    middle = pattern.format(statistics.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({pattern.format(min(values))}-{pattern.format(max(values))})"


def ratio(weir, kafka):
    if not weir or not kafka or not statistics.median(kafka):
        return "-"
    value = statistics.median(weir) / statistics.median(kafka)
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def lines(results, rows):
    """[row, what, metric, weir, kafka, ratio] for each figure. `results` is {row: {server: {metric: [values]}}}."""
    for row, (_, what, metrics) in rows.items():
        if row not in results:
            continue
        weir, kafka = (results[row].get(name, {}) for name in ("weir", "kafka"))
        for number, metric in enumerate(metrics):
            heading, pattern, _ = METRICS[metric]
            own, theirs = weir.get(metric, []), kafka.get(metric, [])
            yield [row if number == 0 else "", what if number == 0 else "", heading, spread(own, pattern),
                   spread(theirs, pattern), ratio(own, theirs) if metric != "client_cores" else ""]


HEADINGS = ["row", "scenario", "figure", "weir", "Kafka", "weir / Kafka"]


def table(results, rows):
    cells = [HEADINGS, *lines(results, rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADINGS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def markdown(document):
    """The generated section of docs/performance.md."""
    out = [BEGIN, f"Machine: {document['machine']}. Load average before the run {document['load']:.1f}"
           f"{', everything measured at priority ' + str(document['priority']) if document['priority'] else ''}.",
           f"Versions: {document['versions']}. {document['rounds']} rounds, interleaved, {document['volume_mib']} MiB per "
           f"full-speed row{', pinned: ' + document['pinned'] if document['pinned'] else ''}. Command: "
           f"`{document['command']}`", "", "| " + " | ".join(HEADINGS) + " |", "|---" * len(HEADINGS) + "|"]
    out += ["| " + " | ".join(line) + " |" for line in lines(document["results"], document["rows"])]
    return "\n".join([*out, END])


def write_markdown(path, document):
    """Replaces the generated section of the page."""
    page = path.read_text()
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise RuntimeError(f"{path} has no section between {BEGIN} and {END}")
    path.write_text(head + markdown(document) + tail)
