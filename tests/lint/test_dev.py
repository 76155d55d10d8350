"""The front door: suites report right, packages are compared right, an empty test report is no success."""
import os
import pathlib
import shutil
import subprocess

import lint_case

import gtest_summary

REPORT = """<?xml version="1.0"?>
<testsuites tests="{tests}" failures="{failures}" disabled="0" errors="0" name="AllTests">
  <testsuite name="A"><testcase name="b" classname="A">{inner}</testcase></testsuite>
</testsuites>
"""


class Suites(lint_case.LintCase):
    """Runs ./dev test in a tree whose suites are samples and whose package lists are empty."""

    def setUp(self):
        super().setUp()
        shutil.copytree(lint_case.ROOT / "tools/dev", self.root / "tools/dev")
        shutil.copy(lint_case.ROOT / "dev", self.root / "dev")
        shutil.rmtree(self.root / "tools/dev/suites")
        self.tree({"tools/dev/packages.txt": "", "tools/dev/packages-test.txt": "",
                   "tools/dev/suites/good.sh": "# fast 20: a good one\nsuite_note 3 tests\n",
                   "tools/dev/suites/bad.sh": "# fast 10: a bad one\nfalse\necho not reached\n",
                   "tools/dev/suites/later.sh": "# fast 30: one that skips\nsuite_skip no client here\n",
                   "tools/dev/suites/slow.sh": "# long 10: a long one\necho slow ran\n"})

    def dev(self, *arguments, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_")}
        answer = subprocess.run([self.root / "dev", *arguments], capture_output=True, text=True, check=False,
                                env={**clean, **environment})
        return answer.returncode, answer.stdout + answer.stderr

    def test_a_failing_suite_fails_the_run_and_the_others_still_run(self):
        status, output = self.dev("test")
        self.assertEqual(status, 1, output)
        self.assertIn("3 suites: 1 passed, 1 failed, 1 skipped", output)
        self.assertNotIn("not reached", output)
        self.assertNotIn("slow ran", output)
        self.assertLess(output.index("suite bad"), output.index("suite good"))

    def test_note_and_reason_of_a_skip_are_shown(self):
        status, output = self.dev("test", "--suite", "good", "--suite", "later")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"good +passed +[\d.]+ s +3 tests")
        self.assertRegex(output, r"later +skipped +[\d.]+ s +no client here")

    def test_require_all_makes_a_skip_a_failure(self):
        status, output = self.dev("test", "--suite", "later", WEIR_REQUIRE_ALL="1")
        self.assertEqual(status, 1, output)

    def test_all_adds_the_long_suites(self):
        _, output = self.dev("test", "--all")
        self.assertIn("slow ran", output)
        self.assertIn("4 suites", output)

    def test_unknown_verbs_suites_and_options_are_refused(self):
        for arguments in (["nothing"], ["test", "--suite", "nothing"], ["test", "--nothing"], ["../x"]):
            self.assertEqual(self.dev(*arguments)[0], 2, arguments)

    def test_every_verb_and_suite_of_the_project_says_what_it_does(self):
        root = lint_case.ROOT / "tools/dev"
        for path in (root / "verbs").glob("*.sh"):
            self.assertRegex(path.read_text().splitlines()[0], rf"^# {path.stem}\b.*: \S")
        for path in (root / "suites").glob("*.sh"):
            self.assertRegex(path.read_text().splitlines()[0], r"^# (fast|long) \d+: \S")


class Packages(lint_case.LintCase):
    def missing(self, text):
        self.tree({"list.txt": text})
        command = f". tools/dev/lib.sh; packages_missing {self.root / 'list.txt'}"
        return subprocess.run(["bash", "-c", command], cwd=lint_case.ROOT, capture_output=True, text=True,
                              check=True).stdout.splitlines()

    def test_only_what_is_not_installed_is_named(self):
        self.assertEqual(self.missing("# comment\nbash\n\nno-such-package  # why\n"), ["no-such-package  "])

    def test_either_alternative_will_do(self):
        self.assertEqual(self.missing("no-such | bash\nno-such | neither\n"), ["no-such | neither"])


class PythonRunner(lint_case.LintCase):
    def run_tests(self, text, **environment):
        self.tree({"tests/test_a.py": text} if text else {"tests/nothing.py": ""})
        script = lint_case.ROOT / "tools/dev/run_unittests.py"
        clean = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_")}
        return subprocess.run(["python3", script, self.root / "tests", "test_*.py"], capture_output=True, text=True,
                              check=False, env={**clean, **environment})

    CASE = "import unittest\nclass A(unittest.TestCase):\n    {}\n"

    def test_exit_status_tells_passed_failed_skipped_and_empty(self):
        good = self.CASE.format("def test_a(self): pass")
        bad = self.CASE.format("def test_a(self): self.fail()")
        skip = self.CASE.format("def test_a(self): self.skipTest('no client')")
        broken = "import no_such_module\n"
        empty = "import unittest\n"
        for text, status in ((good, 0), (bad, 1), (skip, 77), (broken, 1), (empty, 1), (None, 77)):
            with self.subTest(text):
                for old in self.root.glob("tests/*"):
                    if old.is_file():
                        old.unlink()
                answer = self.run_tests(text)
                self.assertEqual(answer.returncode, status, answer.stdout + answer.stderr)

    def test_require_all_fails_on_a_skip_and_the_reason_is_printed(self):
        answer = self.run_tests(self.CASE.format("def test_a(self): self.skipTest('no client')"), WEIR_REQUIRE_ALL="1")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("no client", answer.stdout)


class GtestSummary(lint_case.LintCase):
    def test_counts_and_reasons(self):
        self.tree({"a.xml": REPORT.format(tests=3, failures=1, inner=""),
                   "b.xml": REPORT.format(tests=2, failures=0, inner='<skipped message="x.cc:5&#10;no disk"/>')})
        totals, skips = gtest_summary.summarise(self.root)
        self.assertEqual(totals, {"tests": 5, "failures": 1, "disabled": 0})
        self.assertEqual(skips, ["A.b: no disk"])

    def test_a_program_that_left_no_report_is_a_failure(self):
        self.tree({"reports/a.xml": REPORT.format(tests=3, failures=0, inner=""),
                   "build/CTestTestfile.cmake": 'add_test(a "/bin/a")\nadd_test(gone "/bin/gone")\n'})
        script = pathlib.Path(gtest_summary.__file__)
        answer = subprocess.run(["python3", script, self.root / "reports", self.root / "build"], capture_output=True,
                                text=True, check=False)
        self.assertEqual(answer.returncode, 1, answer.stdout)
        self.assertIn("no report from: gone", answer.stderr)


class Deps(lint_case.LintCase):
    """`deps` with sample package tools in front of the real ones: what would it install?"""

    def run_deps(self, wanted):
        self.tree({"tools/dev/packages.txt": wanted,
                   "bin/apt-get": f'#!/bin/sh\necho "$@" >>"{self.root}/apt.log"\n',
                   "bin/apt-cache": '#!/bin/sh\n[ "$2" != absent ]\n',
                   "bin/id": "#!/bin/sh\necho 0\n"})
        shutil.copy(lint_case.ROOT / "tools/dev/lib.sh", self.root / "tools/dev/lib.sh")
        for tool in (self.root / "bin").iterdir():
            tool.chmod(0o755)
        subprocess.run(["bash", "-euc", ". tools/dev/lib.sh; deps"], cwd=self.root, check=True, capture_output=True,
                       env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        log = self.root / "apt.log"
        return log.read_text().splitlines() if log.exists() else []

    def test_nothing_missing_asks_apt_nothing(self):
        self.assertEqual(self.run_deps("bash\n"), [])

    def test_missing_packages_are_installed_together_after_one_update(self):
        update, install = self.run_deps("bash\nnone-such\nabsent | other-such\n")
        self.assertIn("update", update)
        self.assertRegex(install, r"install --no-install-recommends none-such other-such$")


class UnitSuite(lint_case.LintCase):
    """tools/dev/unit.sh with sample build tools: what it reports, and that a bad summary fails the suite."""

    def unit(self, ctest_status, report):
        shutil.copytree(lint_case.ROOT / "tools/dev", self.root / "tools/dev")
        self.tree({"report.xml": report, "note": "",
                   "build/release/build.ninja": "", "bin/cmake": "#!/bin/sh\n",
                   "bin/ctest": '#!/bin/sh\ncase "$*" in\n*show-only*) echo \'{"tests": []}\' ;;\n'
                                f"*) cp {self.root}/report.xml build/release/test-reports/a.xml; exit {ctest_status} ;;\nesac\n"})
        for tool in (self.root / "bin").iterdir():
            tool.chmod(0o755)
        script = ('. tools/dev/lib.sh; suite_note() { printf "%s" "$*" >note; }; . tools/dev/unit.sh; unit_run release')
        answer = subprocess.run(["bash", "-euc", script], cwd=self.root, check=False, capture_output=True, text=True,
                                env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        return answer.returncode, (self.root / "note").read_text()

    def test_what_passed_passes_with_its_numbers(self):
        self.assertEqual(self.unit(0, REPORT.format(tests=3, failures=0, inner="")),
                         (0, "1 programs, 3 tests run, 0 failed, 0 skipped, 0 disabled"))

    def test_a_failed_program_fails_the_suite(self):
        self.assertEqual(self.unit(8, REPORT.format(tests=3, failures=0, inner=""))[0], 1)

    def test_a_report_of_no_tests_fails_the_suite(self):
        self.assertEqual(self.unit(0, REPORT.format(tests=0, failures=0, inner=""))[0], 1)
