"""Bar charts of a bench document: SVG and an HTML page that holds them; PNG as well where matplotlib is installed."""
import html
import math
import pathlib
import statistics

# file: (title, [(metric, label behind the row)], logarithmic)
CHARTS = {
    "throughput": ("Throughput, MB/s (more is better)", [("mb_per_s", "")], False),
    "cpu": ("Processor time of the broker, s/GiB (less is better)", [("cpu_s_per_gib", "")], True),
    "latency": ("Latency, ms (less is better)", [("p50_ms", " p50"), ("p99_ms", " p99")], True),
}
# Latencies at full speed are those of queues.
LATENCY_ROWS = ("c-", "e-", "i-")
COLOURS = {"weir": "#1b7f79", "kafka": "#c77c2b"}
WIDTH, LEFT, RIGHT, BAR, GAP = 760, 120, 70, 11, 9


def series(document, chart):
    """[(label, {server: values})] of one chart."""
    found = []
    for row, servers in document["results"].items():
        for metric, label in CHARTS[chart][1]:
            values = {name: servers[name][metric] for name in COLOURS if servers.get(name, {}).get(metric)}
            fits = row.startswith(LATENCY_ROWS) if chart == "latency" else not row.startswith(LATENCY_ROWS)
            if values and fits and min(map(min, values.values())) > 0:
                found.append((row + label, values))
    return found


def axis(groups, logarithmic):
    """A function from a value to a share of the width, and the values of the grid."""
    top = max(max(values) for _, servers in groups for values in servers.values())
    if not logarithmic:
        step = 10 ** math.floor(math.log10(top))
        step = step if top / step > 2.5 else step / 4
        top = math.ceil(top / step) * step
        return lambda value: value / top, [step * i for i in range(int(round(top / step)) + 1)]
    low = min(min(values) for _, servers in groups for values in servers.values())
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(top))
    last = max(last, first + 1)
    return (lambda value: (math.log10(value) - first) / (last - first)), [10.0 ** i for i in range(first, last + 1)]


def svg(document, chart):
    title, _, logarithmic = CHARTS[chart]
    groups = series(document, chart)
    if not groups:
        return None
    place, grid = axis(groups, logarithmic)
    span = WIDTH - LEFT - RIGHT
    heights = [len(servers) * BAR + GAP for _, servers in groups]
    bottom = 50 + sum(heights)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 24}" '
           f'viewBox="0 0 {WIDTH} {bottom + 24}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="20" font-size="14">{html.escape(title)}</text>']
    for i, name in enumerate(COLOURS):
        out.append(f'<rect x="{WIDTH - 140 + 65 * i}" y="11" width="10" height="10" fill="{COLOURS[name]}"/>'
                   f'<text x="{WIDTH - 126 + 65 * i}" y="20">{name}</text>')
    for value in grid:
        x = LEFT + place(value) * span
        out.append(f'<line x1="{x:.1f}" y1="36" x2="{x:.1f}" y2="{bottom}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{value:g}</text>')
    y = 42
    for (label, servers), height in zip(groups, heights):
        out.append(f'<text x="{LEFT - 8}" y="{y + height / 2 - GAP / 2 + 4:.1f}" text-anchor="end">{html.escape(label)}</text>')
        for i, (name, values) in enumerate(servers.items()):
            middle, top = statistics.median(values), y + i * BAR
            low, high = (LEFT + place(edge(values)) * span for edge in (min, max))
            out.append(f'<rect x="{LEFT}" y="{top}" width="{max(1.0, place(middle) * span):.1f}" height="{BAR - 1}" '
                       f'fill="{COLOURS[name]}"/><line x1="{low:.1f}" y1="{top + BAR / 2 - 0.5}" x2="{high:.1f}" '
                       f'y2="{top + BAR / 2 - 0.5}" stroke="black"/>'
                       f'<text x="{max(high, LEFT + place(middle) * span) + 4:.1f}" y="{top + BAR - 2}" font-size="9">{middle:.3g}</text>')
        y += height
    return "\n".join([*out, "</svg>\n"])


def png(document, chart, path):
    """False where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot
    title, _, logarithmic = CHARTS[chart]
    groups = series(document, chart)
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.35 * len(groups)), layout="constrained")
    for i, name in enumerate(COLOURS):
        rows = [(at, servers[name]) for at, (_, servers) in enumerate(groups) if name in servers]
        middles = [statistics.median(values) for _, values in rows]
        errors = [[middle - min(values) for middle, (_, values) in zip(middles, rows)],
                  [max(values) - middle for middle, (_, values) in zip(middles, rows)]]
        axes.barh([at + 0.4 * i for at, _ in rows], middles, 0.38, xerr=errors, color=COLOURS[name], label=name)
    axes.set_yticks([at + 0.2 for at in range(len(groups))], [label for label, _ in groups])
    axes.invert_yaxis()
    axes.set_title(title)
    axes.legend()
    if logarithmic:
        axes.set_xscale("log")
    figure.savefig(path, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
    return True


def write(document, directory):
    """The charts and a page with all of them; gives the names of the SVG files."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    names, body = [], []
    for chart in CHARTS:
        drawing = svg(document, chart)
        if drawing is None:
            continue
        (directory / f"{chart}.svg").write_text(drawing)
        png(document, chart, directory / f"{chart}.png")
        names.append(f"{chart}.svg")
        body.append(drawing)
    (directory / "charts.html").write_text(
        "<!doctype html><meta charset=\"utf-8\"><title>weir and Apache Kafka</title>\n"
        f"<p>{html.escape(document['machine'])}; {html.escape(document['versions'])}; {document['rounds']} rounds.</p>\n"
        + "\n".join(body))
    return names
