"""The arithmetic of `./dev bench`, and that it refuses what it must refuse. No broker runs here."""
import pathlib
import struct
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench"))

import accounting  # noqa: E402
import flamegraph  # noqa: E402
import plots  # noqa: E402
import rawwire  # noqa: E402
import report  # noqa: E402
import servers  # noqa: E402
import targets  # noqa: E402


def document(weir, kafka=(), row="a-raw", metric="mb_per_s", limit=None):
    return {"machine": "m", "load": 0.0, "versions": "v", "rounds": 1, "volume_mib": 1, "command": "./dev bench",
            "rows": {row: ["what", [metric]]}, "limit": limit or {},
            "results": {row: {"weir": {metric: list(weir)}, "kafka": {metric: list(kafka)}}}}


def batch(base, records, size=80):
    """The header of a batch as it lies in an answer; its records do not matter here."""
    body = bytearray(size - 12)
    struct.pack_into(">i", body, 23 - 12, records - 1)
    return struct.pack(">qi", base, len(body)) + body


class Wire(unittest.TestCase):
    def test_offsets_follow_the_batches(self):
        both = batch(0, 3) + batch(3, 2)
        self.assertEqual(rawwire.next_offset(both, 0, len(both), 0), (5, 160))

    def test_a_batch_at_a_wrong_offset_is_noticed(self):
        wrong = batch(5, 1)
        with self.assertRaises(rawwire.WireError):
            rawwire.next_offset(wrong, 0, len(wrong), 0)

    def test_a_batch_that_is_not_whole_is_left(self):
        both = batch(0, 3) + batch(3, 2)[:-1]
        self.assertEqual(rawwire.next_offset(both, 0, len(both), 0), (3, 80))


class Report(unittest.TestCase):
    def test_figures_are_medians_with_their_spread(self):
        [line] = report.lines(document([300.0, 100.0, 200.0], [100.0, 50.0, 80.0]))
        self.assertEqual(line[:6], ["a-raw", "what", "MB/s", "200 (100-300)", "80 (50-100)", "2.50"])

    def test_ratios_are_those_of_the_rounds(self):
        self.assertEqual(report.ratios([2.0, 9.0], [1.0, 3.0]), [2.0, 3.0])
        self.assertEqual(report.ratio_text([0.5, 0.01, 0.05]), "0.050")

    def test_where_each_wins_some_rounds_nobody_can_tell(self):
        self.assertIn(report.CANNOT_TELL, report.ratio_text([0.9, 1.1, 1.2]))
        self.assertNotIn(report.CANNOT_TELL, report.ratio_text([1.05, 1.1, 1.2]))

    def test_a_target_is_met_missed_or_cannot_be_told(self):
        for values, verdict in (([2.1, 2.5], "met"), ([1.0, 1.9], "MISSED"), ([1.9, 2.5], report.CANNOT_TELL)):
            self.assertEqual(report.judged("at least", 2.0, values), verdict)
        for values, verdict in (([0.1, 0.2], "met"), ([0.6, 0.7], "MISSED"), ([0.4, 0.7], report.CANNOT_TELL)):
            self.assertEqual(report.judged("at most", 0.5, values), verdict)
        self.assertEqual(report.judged("at most", 0.5, []), "not measured")

    def test_processor_time_is_compared_with_the_machines_limit(self):
        [*_, line] = report.lines(document([1.2, 1.2], [2.0, 2.0], metric="cpu_s_per_gib",
                                           limit={"write_cpu_s_per_gib": [0.6, 0.6]}))
        self.assertEqual(line[6], "at most 0.5 x Kafka's: MISSED; at most 1.5 x the machine's limit: 2.0 x, MISSED")

    def test_only_what_does_not_overlap_has_moved(self):
        before = document([100.0, 110.0])
        self.assertEqual(list(report.moved(before, document([105.0, 120.0]))), [])
        self.assertEqual(list(report.moved(before, document([120.0, 130.0]))),
                         ["a-raw MB/s: 105 (100-110) -> 125 (120-130), +19%"])

    def test_every_target_is_about_a_metric_that_is_reported(self):
        for row, wanted in targets.TARGETS.items():
            for metric, _, _ in wanted:
                self.assertIn(metric, report.METRICS, row)

    def test_the_page_keeps_what_is_outside_of_the_section(self):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory, "page.md")
            page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
            report.write_markdown(page, document([300.0, 100.0, 200.0]), ["performance/cpu.svg"])
            text = page.read_text()
            page.write_text("no section")
            with self.assertRaises(RuntimeError):
                report.write_markdown(page, document([1.0]))
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"), text)
        self.assertNotIn("old", text)
        self.assertIn("| 200 (100-300) |", text)
        self.assertIn("![cpu.svg](performance/cpu.svg)", text)


class Pictures(unittest.TestCase):
    def test_a_chart_has_a_bar_for_each_broker(self):
        for metric, chart in (("mb_per_s", "throughput"), ("cpu_s_per_gib", "cpu")):
            drawing = plots.svg(document([3.0, 4.0], [2.0], metric=metric), chart)
            root = xml.etree.ElementTree.fromstring(drawing)
            bars = [e for e in root.iter("{http://www.w3.org/2000/svg}rect") if e.get("x") == str(plots.LEFT)]
            self.assertEqual(len(bars), 2)
        self.assertIsNone(plots.svg(document([3.0]), "latency"))

    def test_stacks_are_folded_from_the_root(self):
        lines = ["lane-0", "  aa main::leaf(int)+0x10 (weir)", "  bb void weir::run<int>(std::vector<int> const&) (weir)", "",
                 "lane-1", "  cc [unknown] (libc.so.6)", ""]
        self.assertEqual(flamegraph.fold(lines), {("lane", "run", "main::leaf"): 1, ("lane", "[libc.so.6]"): 1})

    def test_a_flame_graph_is_as_wide_as_the_time(self):
        drawing = flamegraph.render({("lane", "f", "g"): 75, ("lane", "h"): 25}, "title")
        root = xml.etree.ElementTree.fromstring(drawing)
        titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(titles, ["all 100.0%", "lane 100.0%", "f 75.0%", "g 75.0%", "h 25.0%"])


class Refusals(unittest.TestCase):
    def test_metrics_are_read_by_series(self):
        values = accounting.parse_metrics('# HELP x y\nx{a="1"} 2\nx{a="2"} 3e2\nxy 1\n')
        self.assertEqual(accounting.sum_of(values, "x"), 302)

    def test_only_release_builds_are_measured(self):
        with tempfile.TemporaryDirectory() as directory:
            cache = pathlib.Path(directory, "CMakeCache.txt")
            binary = pathlib.Path(directory, "weir")
            with self.assertRaises(RuntimeError):
                servers.check_release(binary)
            for text, good in (("CMAKE_BUILD_TYPE:STRING=Debug", False), ("CMAKE_BUILD_TYPE:STRING=RelWithDebInfo", True),
                               ("CMAKE_BUILD_TYPE:STRING=Release\nWEIR_SANITIZE:STRING=thread", False)):
                cache.write_text(text)
                if good:
                    servers.check_release(binary)
                else:
                    with self.assertRaises(RuntimeError):
                        servers.check_release(binary)


if __name__ == "__main__":
    unittest.main()
