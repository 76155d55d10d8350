import lint_case

import includes


class Includes(lint_case.LintCase):
    def test_a_container_without_its_header_is_found_once_per_file(self):
        self.tree({"src/base/a.cc": "#include <map>\n\nstd::map<int, int> m;\nstd::set<int> s;\nstd::set<int> t;\n"})
        self.assert_found(includes, "src/base/a.cc:4: std::set<; include <set>")

    def test_what_an_included_header_of_the_project_names_counts(self):
        self.tree({"src/base/a.h": '#include "base/b.h"\n', "src/base/b.h": '#include "base/a.h"\n#include <set>\n',
                   "src/base/a.cc": '#include "base/a.h"\nstd::set<int> s;\n'})
        self.assert_clean(includes)

    def test_what_a_librarys_header_may_bring_does_not_count(self):
        self.tree({"tests/sim/a.cc": "#include <boost/json.hpp>\nauto x = std::ranges::sort(v);\n"})
        self.assert_found(includes, "std::ranges::sort; include <algorithm>")

    def test_comments_and_strings_are_no_uses(self):
        self.tree({"src/base/a.cc": '// std::set<int>\nconst char* t = "std::map<int>";\n'})
        self.assert_clean(includes)
