"""The main job in small: a CSV of WEIR_CSV_MIB, else 64 MiB."""
import os
import pathlib
import tempfile
import unittest

from jobs import Jobs
from main_job import MainJob, first_difference


class SmallJob(Jobs, MainJob):
    csv_mib = int(os.environ.get("WEIR_CSV_MIB", "64"))


class Comparison(unittest.TestCase):
    def test_a_changed_a_missing_and_a_swapped_line_are_found(self):
        whole = b"one\ntwo\nthree\n"
        for other in (b"one\ntwO\nthree\n", b"one\nthree\n", b"two\none\nthree\n", b"one\ntwo\nthree\nthree\n", b""):
            with tempfile.TemporaryDirectory() as directory:
                a, b = pathlib.Path(directory, "a"), pathlib.Path(directory, "b")
                a.write_bytes(whole)
                b.write_bytes(other)
                self.assertIsNotNone(first_difference(a, b), other)
                self.assertIsNone(first_difference(a, a))


if __name__ == "__main__":
    unittest.main()
