"""The arithmetic of `./dev bench`, and that it refuses what it must refuse. No broker runs here."""
import pathlib
import random
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench"))

import rawwire  # noqa: E402
import report  # noqa: E402
import servers  # noqa: E402

ROWS = {"a": (None, "what", ("mb_per_s", "cpu_s_per_gib"))}
RESULTS = {"a": {"weir": {"mb_per_s": [300.0, 100.0, 200.0], "cpu_s_per_gib": [1.0]},
                 "kafka": {"mb_per_s": [100.0], "cpu_s_per_gib": [4.0]}}}


class Bench(unittest.TestCase):
    def test_crc32c_is_castagnoli(self):
        self.assertEqual(rawwire.crc32c(b"123456789"), 0xE3069283)

    def test_a_batch_has_as_many_records_as_fit(self):
        data, count = rawwire.batch(100, 4096, 1_700_000_000_000, random.Random(1))
        self.assertLessEqual(len(data), 4096)
        self.assertGreater(len(data) + 120, 4096)
        self.assertEqual(struct.unpack_from(">i", data, 57)[0], count)
        self.assertEqual(rawwire.next_offset(data, 0, len(data), 0), (count, len(data)))

    def test_a_batch_at_a_wrong_offset_is_noticed(self):
        data, _ = rawwire.batch(100, 4096, 0, random.Random(1))
        wrong = struct.pack(">q", 5) + data[8:]
        with self.assertRaises(rawwire.WireError):
            rawwire.next_offset(wrong, 0, len(wrong), 0)

    def test_a_batch_that_is_not_whole_is_left(self):
        data, count = rawwire.batch(100, 4096, 0, random.Random(1))
        second = struct.pack(">q", count) + data[8:]
        both = data + second[:-1]
        self.assertEqual(rawwire.next_offset(both, 0, len(both), 0), (count, len(data)))

    def test_figures_are_medians_with_their_spread(self):
        lines = list(report.lines(RESULTS, ROWS))
        self.assertEqual(lines[0], ["a", "what", "MB/s", "200 (100-300)", "100", "2.00"])
        self.assertEqual(lines[1][3:], ["1.00", "4.00", "0.25"])

    def test_the_page_keeps_what_is_outside_of_the_section(self):
        document = {"machine": "m", "load": 0.0, "versions": "v", "rounds": 1, "volume_mib": 1, "pinned": "", "priority": 0,
                    "command": "./dev bench", "rows": ROWS, "results": RESULTS}
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory, "page.md")
            page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
            report.write_markdown(page, document)
            text = page.read_text()
            page.write_text("no section")
            with self.assertRaises(RuntimeError):
                report.write_markdown(page, document)
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"), text)
        self.assertNotIn("old", text)
        self.assertIn("| 200 (100-300) |", text)

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
