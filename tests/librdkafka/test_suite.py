"""How the outcome of librdkafka's test program is read: nothing but a run that passed counts as one."""
import json
import pathlib
import tempfile
import unittest

import expected
import suite

TEST_C = """
struct test tests[] = {
    {.name = "<MAIN>", .flags = TEST_F_LOCAL},
    _TEST(0001_multi, 0),
    _TEST(0002_local, TEST_F_LOCAL, /* says
          nothing */ TEST_BRKVER(0, 11, 0, 0)),
    _TEST(0003_both, 0, TEST_BRKVER(0, 11, 0, 0)),
    _TEST(0003_both_local,
          TEST_F_LOCAL),
    _TEST(0003_made,
          0,
          .scenario = "noautocreate"),
    _TEST(8000_idle, TEST_F_MANUAL),

    {NULL}};
"""
FAILED = """### Test "0003_both (part:12)" failed at 0003-both.c:12:part() at Mon Nov 30 12:00:00 2026: ###
expected 1,
"""


class Suite(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def judge(self, states, log="", status=0, part=""):
        report = self.directory / "report.json"
        tests = {"<MAIN>": {"state": "PASSED", "duration": 1.0}}
        tests.update({name: {"state": state, "duration": 0.5} for name, state in states.items()})
        report.write_text(json.dumps({"tests": tests}))
        return suite._judge(report, log, status, 0.5, part)

    def test_the_table_tells_runs_by_scenario_from_numbers_without_a_broker(self):
        (self.directory / "test.c").write_text(TEST_C)
        runs, local = suite.table(self.directory)
        self.assertEqual(runs, {"0001": ["0001_multi"], "0003": ["0003_both"], "0003/noautocreate": ["0003_made"]})
        self.assertEqual(local, {"0002"})

    def test_a_run_is_named_by_number_scenario_and_part(self):
        self.assertEqual(suite.split("0045"), ("0045", "default", ""))
        self.assertEqual(suite.split("0045/noautocreate"), ("0045", "noautocreate", ""))
        self.assertEqual(suite.split("0081:ListOffsets"), ("0081", "default", "ListOffsets"))

    def test_what_passed_has_passed(self):
        self.assertEqual(self.judge({"0001_multi": "PASSED"}).state, "passed")

    def test_an_exit_status_is_a_failure_with_the_first_reason(self):
        outcome = self.judge({"0003_both": "PASSED"}, FAILED, status=1)
        self.assertEqual(outcome.state, "failed")
        self.assertEqual(outcome.reason, "0003_both (part:12): expected 1,")

    def test_a_crash_is_a_failure(self):
        outcome = self.judge({"0003_both": "PASSED"}, "last words", status=-11)
        self.assertEqual((outcome.state, outcome.reason), ("failed", "ended by SIGSEGV: last words"))

    def test_what_skips_itself_has_not_passed(self):
        outcome = self.judge({"0003_both": "SKIPPED"}, "WARN: SKIPPING TEST: no broker\n")
        self.assertEqual((outcome.state, outcome.reason), ("skipped", "no broker"))

    def test_a_run_without_functions_has_not_passed(self):
        self.assertEqual(self.judge({}).state, "skipped")

    def test_a_part_that_no_sub_test_is_called_by_has_not_passed(self):
        log = "[ do_test_Config:78: quick: PASS (0.11s) ]\n"
        self.assertEqual(self.judge({"0003_both": "PASSED"}, log, part="Config").state, "passed")
        self.assertEqual(self.judge({"0003_both": "PASSED"}, log, part="Offsets").state, "skipped")

    def test_the_list_refuses_what_it_does_not_understand(self):
        path = self.directory / "expected.txt"
        path.write_text("# all\n0001 pass\n0002 local for a reason\n")
        self.assertEqual(expected.read(path), {"0001": ("pass", ""), "0002": ("local", "for a reason")})
        for text in ("0001 perhaps\n", "0001 pass\n0001 local\n"):
            path.write_text(text)
            with self.assertRaises(ValueError):
                expected.read(path)


if __name__ == "__main__":
    unittest.main()
