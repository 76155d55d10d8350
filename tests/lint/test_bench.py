"""The arithmetic of `./dev bench`, and that it refuses what it must refuse. No broker runs here."""
import http.client
import http.server
import pathlib
import random
import statistics
import struct
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench"))

import accounting  # noqa: E402
import flamegraph  # noqa: E402
import latencylaw  # noqa: E402
import latencyproxy  # noqa: E402
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


LAW = """
  std::uint64_t bytes_per_second = 1'000'000;
  static LatencyLaw s3_by_size() {
    return {.write = {62ms, 150ms},
            .read = {20ms, 40ms},
            .list = {50ms, 100ms},
            .write_sizes = {{1u << 10, {60ms, 150ms}},
                            {3u << 10, {100ms, 250ms}}}};
  }
"""
CONFIG = """listen = localhost:9092  # default
flush-interval-min = (by the store: 0 for files, 150ms for S3)
flush-interval-max = (by the store: 5ms for files, 500ms for S3)
segment-bytes = 8MiB  # default
inline-bytes = (by the log: 1MiB for files, 256KiB for S3)
request-budget = (by the log: none for files, 5 for S3, 20 for S3 Express)
"""


class Latency(unittest.TestCase):
    def test_the_law_is_that_of_the_header(self):
        law = latencylaw.parse(LAW)
        self.assertEqual(law.read, latencylaw.Points(0.02, 0.04))
        self.assertEqual(law.bytes_per_second, 1e6)
        self.assertEqual(law.of_request("DELETE", 0), latencylaw.Points(0.05, 0.1))
        with self.assertRaises(RuntimeError):
            latencylaw.parse("a header that says something else")
        self.assertGreater(len(latencylaw.s3().write_sizes), 2)

    def test_a_put_lies_on_the_line_between_two_sizes(self):
        law = latencylaw.parse(LAW)
        for size, p50, p99 in ((0, 60, 150), (1 << 10, 60, 150), (2 << 10, 80, 200), (3 << 10, 100, 250), (5 << 10, 140, 350)):
            points = law.of_request("PUT", size)
            self.assertAlmostEqual(points.p50, p50 / 1e3)
            self.assertAlmostEqual(points.p99, p99 / 1e3)

    def test_draws_have_the_percentiles_of_the_law(self):
        rng = random.Random(7)
        draws = sorted(latencylaw.Points(0.1, 0.4).draw(rng) for _ in range(20_000))
        self.assertAlmostEqual(statistics.median(draws), 0.1, delta=0.005)
        self.assertAlmostEqual(draws[19_800], 0.4, delta=0.04)

    def test_the_options_of_the_broker_are_read(self):
        flushes = latencylaw.flushes_of(CONFIG)
        self.assertEqual(flushes, latencylaw.Flushes(0.15, 0.5, 8 << 20, 256 << 10, 5))
        given = CONFIG.replace("(by the store: 0 for files, 150ms for S3)", "20ms  # --flush-interval-min")
        self.assertEqual(latencylaw.flushes_of(given).window_min, 0.02)
        with self.assertRaises(RuntimeError):
            latencylaw.flushes_of(CONFIG.replace("8MiB", "8 parsecs"))

    def test_windows_follow_the_load(self):
        flushes = latencylaw.flushes_of(CONFIG)
        self.assertAlmostEqual(flushes.window(100e3), 1 / 4.05)
        self.assertAlmostEqual(flushes.window(3e6), 2 / 5.5)
        self.assertAlmostEqual(flushes.window(50e6), 0.15)

    def test_an_acknowledgement_is_half_a_window_a_put_and_one_and_a_half_creates(self):
        law, flushes = latencylaw.s3(), latencylaw.flushes_of(CONFIG)
        put = law.of_put(0.15 * 50e6).p50
        found = latencylaw.acknowledgement(law, flushes, 50e6)
        self.assertAlmostEqual(found.p50, 0.075 + put + 0.031 + 0.062)
        self.assertGreater(found.p99, 1.5 * found.p50)
        self.assertLess(found.p99, 0.15 + 0.45 + 2 * 0.15)
        small = latencylaw.acknowledgement(law, flushes, 100e3)
        self.assertAlmostEqual(small.p50, 1 / 4.05 / 2 + 1.5 * 0.062)


class Store(http.server.BaseHTTPRequestHandler):
    """Answers a PUT with what it got and a GET in chunks."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "17")
        self.end_headers()

    def do_GET(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")

    def log_message(self, *_):
        pass


class Proxy(unittest.TestCase):
    def setUp(self):
        self.store = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
        self.addCleanup(self.store.server_close)
        threading.Thread(target=self.store.serve_forever, daemon=True).start()
        self.addCleanup(self.store.shutdown)
        at = latencylaw.Points(0.05, 0.05)
        law = latencylaw.Law(read=at, list=at, write_sizes=((0, at), (1, at)), bytes_per_second=1e9)
        proxy = latencyproxy.Proxy(self.store.server_address, law, 1)
        threading.Thread(target=proxy.run, daemon=True).start()
        self.client = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=30)
        self.addCleanup(self.client.close)

    def ask(self, method, body=None):
        begun = time.monotonic()
        self.client.request(method, "/bucket/key", body)
        answer = self.client.getresponse()
        return answer.read(), time.monotonic() - begun

    def test_bodies_pass_whole_and_no_sooner_than_the_law_says(self):
        body = random.Random(3).randbytes(3 * latencyproxy.PIECE_BYTES + 1)
        for method, sent, wanted in (("PUT", body, body), ("GET", None, b"abcde"), ("HEAD", None, b""), ("PUT", b"", b"")):
            got, took = self.ask(method, sent)
            self.assertEqual(got, wanted, method)
            self.assertGreaterEqual(took, 0.05)

    def test_a_head_is_taken_apart(self):
        head = latencyproxy.Head(b"PUT /b/k HTTP/1.1\r\nHost: x\r\ncontent-length:  12 \r\n\r\n")
        self.assertEqual((head.first[0], head.length, head.chunked), ("PUT", 12, False))


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
