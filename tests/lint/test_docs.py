import lint_case

import docs


class Docs(lint_case.LintCase):
    def test_a_format_page_without_a_golden_test_is_found(self):
        self.tree({"docs/formats/segment.md": "# Segment\n"})
        self.assert_found(docs, "docs/formats/segment.md:1: names no golden test")

    def test_a_golden_test_that_does_not_exist_or_does_not_name_its_page_is_found(self):
        self.tree({"docs/formats/a.md": "Golden test: `src/x/a_golden_test.cc`\n",
                   "docs/formats/b.md": "Golden test: `src/x/b_golden_test.cc`\n",
                   "src/x/README.md": "", "src/x/b_golden_test.cc": "// something else\n"})
        self.assert_found(docs, "a_golden_test.cc does not exist", "b_golden_test.cc:1: is the golden test of docs/formats/b.md")

    def test_a_golden_test_without_a_page_is_found(self):
        self.tree({"src/x/README.md": "", "src/x/c_golden_test.cc": ""})
        self.assert_found(docs, "c_golden_test.cc:1: is a golden test that no page")

    def test_formats_that_are_kafkas_need_no_page(self):
        self.tree({"src/wire/README.md": "", "src/wire/golden_test.cc": ""})
        self.assert_clean(docs)

    def test_a_pair_that_name_each_other_is_clean(self):
        self.tree({"docs/formats/README.md": "index\n", "docs/formats/a.md": "Golden test: `src/x/a_golden_test.cc`\n",
                   "src/x/README.md": "", "src/x/a_golden_test.cc": "// docs/formats/a.md\n"})
        self.assert_clean(docs)

    def test_links_that_lead_nowhere_are_found(self):
        self.tree({"docs/a.md": "# One thing\n[x](b.md) [y](#one-thing) [z](#two) [w](https://example.com/)\n"
                                "```\n[not](a-link.md)\n```\n[d](../docs) [e](a.md#one-thing)\n"})
        self.assert_found(docs, "docs/a.md:2: link to #two", "docs/a.md:2: link to b.md")

    def test_a_cited_section_that_does_not_exist_is_found(self):
        self.tree({"docs/design.md": "## 4. Log\n\n- **a. Fold.** x\n\n## 9. Groups\n\n- **c. Other.** y\n",
                   "src/x/README.md": "", "src/x/a.h": "// docs/design.md, 4a and docs/design.md,\n// 9\n",
                   "src/x/b.h": "// docs/design.md, 4b\n// docs/design.md,\n// 11\n"})
        self.assert_found(docs, "src/x/b.h:1: cites section 4b", "src/x/b.h:2: cites section 11")

    def test_a_directory_of_code_without_a_readme_is_found(self):
        self.tree({"src/x/a.h": "", "src/y/README.md": "", "src/y/a.h": ""})
        self.assert_found(docs, "src/x:1: has no README.md")
