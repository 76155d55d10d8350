"""A broker's metrics, as it shows them at /metrics."""
import re
import urllib.request

LINE = re.compile(r"^([a-z_]+)(?:\{([^}]*)\})? ([-0-9.e+]+)$")
SECONDS_MAX = 20


class Metrics:
    """One reading; values are added up over all label sets that hold what is asked for."""

    def __init__(self, admin):
        url = admin if admin.startswith("http") else f"http://{admin}"
        with urllib.request.urlopen(f"{url}/metrics", timeout=SECONDS_MAX) as answer:
            text = answer.read().decode()
        self.rows = [(found[1], found[2] or "", float(found[3])) for found in map(LINE.match, text.splitlines()) if found]

    def total(self, name, labels=""):
        return sum(value for found, have, value in self.rows if found == name and labels in have)

    def by_label(self, name, label):
        """{value of the label: sum}."""
        sums = {}
        for found, have, value in self.rows:
            if found == name:
                key = dict(pair.split("=", 1) for pair in have.split(",") if "=" in pair).get(label, "").strip('"')
                sums[key] = sums.get(key, 0) + value
        return sums
