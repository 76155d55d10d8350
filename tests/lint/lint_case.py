"""A test case with a temporary tree that lints run on."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
for directory in ("tools/lint", "tools/dev"):
    sys.path.insert(0, str(ROOT / directory))


class LintCase(unittest.TestCase):
    """`self.tree({path: text})` fills a tree; `self.found(lint)` gives its findings as text."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)

    def tree(self, files):
        for path, text in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def found(self, lint, options=None):
        return [str(finding) for finding in sorted(set(lint.check(self.root, options)))]

    def assert_found(self, lint, *parts):
        """Exactly one finding per part, in order, and each holds its part."""
        findings = self.found(lint)
        self.assertEqual(len(findings), len(parts), findings)
        for finding, part in zip(findings, parts):
            self.assertIn(part, finding)

    def assert_clean(self, lint):
        self.assertEqual(self.found(lint), [])
