"""The output is written only where it changes, and never twice to one place."""

import contextlib
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from names import member, snake  # noqa: E402

# Loaded by path, for in a test run the name __main__ is taken.
_SPEC = importlib.util.spec_from_file_location("kafkagen_entry", pathlib.Path(__file__).parent / "__main__.py")
entry = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(entry)

TESTDATA = pathlib.Path(__file__).parent / "testdata"


class Output(unittest.TestCase):
    def run_into(self, directory):
        self.assertEqual(entry.main(["--profile", "example", "--schemas", str(TESTDATA), "--out", directory]), 0)
        return {p: p.stat().st_mtime_ns for p in pathlib.Path(directory).rglob("*") if p.is_file()}

    def test_a_second_run_writes_nothing(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(self.run_into(directory), self.run_into(directory))

    def test_a_changed_file_is_written_again(self):
        with tempfile.TemporaryDirectory() as directory:
            target = pathlib.Path(directory) / "serial/example/move.h"
            self.run_into(directory)
            text = target.read_text(encoding="utf-8")
            target.write_text("stale", encoding="utf-8")
            self.run_into(directory)
            self.assertEqual(target.read_text(encoding="utf-8"), text)

    def test_a_wrong_schema_is_an_exit_status(self):
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "bad.json").write_text("{}", encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(entry.main(["--profile", "wire", "--schemas", directory, "--out", directory]), 1)
            self.assertIn("bad.json", said.getvalue())


class Names(unittest.TestCase):
    def test_snake(self):
        for camel, expected in {
            "FetchRequest": "fetch_request",
            "TopicIDs": "topic_ids",
            "MaxWaitMs": "max_wait_ms",
            "ISRNodes": "isr_nodes",
            "Sha256Digest": "sha256_digest",
        }.items():
            self.assertEqual(snake(camel), expected)

    def test_keywords_are_avoided(self):
        self.assertEqual(member("operator"), "operator_")
        self.assertEqual(member("operation"), "operation")


if __name__ == "__main__":
    unittest.main()
