import lint_case

import hygiene

# In pieces, so that this file itself stays clean.
SAMPLES = ("see /wo" "rk/main/x", "/ro" "ot/.config", "/tmp/se" "tup/x", "https://repo1.maven.o" "rg/x",
           "pip install from pypi.o" "rg", "ghcr" ".io/x", "written by Clau" "de", "an LL" "M did this", "see DES" "IGN 4e",
           "sub" "agent", "sha" "red/spec")
INNOCENT = ("the rooted tree, a network/path, framework/", "fetch session, user agent, model checking", "lib/farm.h",
            "/tmp/${name}", "docs/design.md and its design", "src/root/a.h and ./work/x", "peers and style")


class Hygiene(lint_case.LintCase):
    def test_each_sample_is_found(self):
        for sample in SAMPLES:
            with self.subTest(sample):
                self.tree({"docs/a.md": f"fine\n{sample}\n"})
                findings = self.found(hygiene)
                self.assertEqual(len(findings), 1, findings)
                self.assertIn("docs/a.md:2: ", findings[0])

    def test_text_that_only_looks_like_it_is_clean(self):
        self.tree({"docs/a.md": "\n".join(INNOCENT) + "\n"})
        self.assert_clean(hygiene)
