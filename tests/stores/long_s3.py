"""The conformance suite of the S3 driver on real servers."""
import os
import pathlib
import re
import subprocess
import unittest

from harness import s3
from harness.broker import ROOT

BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / f"build/{os.environ.get('WEIR_PRESET', 'release')}"))
SECONDS_MAX = 300


class Conformance(unittest.TestCase):
    def run_on(self, server, without=""):
        self.addCleanup(server.stop)
        server.start()
        names = {**os.environ, "WEIR_TEST_S3_URL": server.url(), "WEIR_TEST_S3_KEY": s3.KEY, "WEIR_TEST_S3_SECRET": s3.SECRET}
        done = subprocess.run([BUILD / "weir_objstore_s3_test", f"--gtest_filter=S3/*-{without}"], capture_output=True, text=True,
                              timeout=SECONDS_MAX, env=names)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-2000:])
        passed = re.search(r"\[  PASSED  \] (\d+) tests", done.stdout)
        self.assertTrue(passed and int(passed.group(1)) > 20, "the tests of the server did not run")

    def test_versitygw(self):
        self.run_on(s3.Versitygw())

    def test_gofakes3(self):
        # It tells another etag at the completion of an upload than later on.
        self.run_on(s3.Gofakes3(), "*KeepsAnObjectThatWentUpInParts*")


if __name__ == "__main__":
    unittest.main()
