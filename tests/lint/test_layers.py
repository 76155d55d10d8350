import lint_case

import layers

RULES = {"src/LAYERS": "# order\nbase:\nrt: base\nrt/sim: base rt\nengine: base rt\napp: *\n",
         "tools/lint/externals.txt": "openssl/: base  # hashes\nboost/: rt\nboost/json: app\ngtest/: tests\n"}


class Layers(lint_case.LintCase):
    def setUp(self):
        super().setUp()
        self.tree(RULES)

    def test_include_against_the_order_is_found(self):
        self.tree({"src/base/a.h": '#include <vector>\n#include "engine/b.h"\n'})
        self.assert_found(layers, "src/base/a.h:2: base may not include engine")

    def test_listed_layers_own_layer_and_everything_for_app_are_fine(self):
        self.tree({"src/engine/a.cc": '#include "base/x.h"\n#include "engine/y.h"\n',
                   "src/app/main.cc": '#include "engine/y.h"\n  #  include "rt/sim/z.h"\n'})
        self.assert_clean(layers)

    def test_the_deepest_layer_counts(self):
        self.tree({"src/engine/deep/er/a.cc": '#include "rt/sim/x.h"\n'})
        self.assert_found(layers, "engine may not include rt/sim")

    def test_a_test_may_use_the_simulated_world_and_the_framework_but_no_other_layer(self):
        self.tree({"src/base/a_test.cc": '#include <gtest/gtest.h>\n#include "rt/sim/x.h"\n#include "engine/y.h"\n'})
        self.assert_found(layers, "base may not include engine")

    def test_a_test_may_use_what_stands_above_its_layer(self):
        self.tree({"src/LAYERS": "base:\nrt: base\ndisk: base\nlog: base\nengine: base log\n",
                   "src/log/a_bench.cc": '#include "disk/x.h"\n', "src/log/a.cc": '#include "disk/x.h"\n'})
        self.assert_found(layers, "src/log/a.cc:1: log may not include disk")

    def test_the_framework_is_for_tests(self):
        self.tree({"src/base/a.cc": "#include <gtest/gtest.h>\n"})
        self.assert_found(layers, "base may not include <gtest/gtest.h>")

    def test_library_outside_its_layer_is_found(self):
        self.tree({"src/engine/a.cc": "#include <openssl/evp.h>\n"})
        self.assert_found(layers, "engine may not include <openssl/evp.h>; tools/lint/externals.txt allows it to: base")

    def test_the_longest_prefix_counts(self):
        self.tree({"src/rt/a.cc": "#include <boost/asio.hpp>\n#include <boost/json.hpp>\n"})
        self.assert_found(layers, "src/rt/a.cc:2: rt may not include <boost/json.hpp>")

    def test_unknown_library_is_found(self):
        self.tree({"src/base/a.cc": "#include <leveldb/db.h>\n"})
        self.assert_found(layers, "<leveldb/db.h> is in no line")

    def test_directory_outside_all_layers_is_found(self):
        self.tree({"src/stray/a.cc": ""})
        self.assert_found(layers, "lies in no layer")

    def test_include_that_is_not_relative_to_src_is_found(self):
        self.tree({"src/base/a.cc": '#include "b.h"\n#include "../rt/c.h"\n'})
        self.assert_found(layers, '"b.h" is not relative', '"../rt/c.h" is not relative')

    def test_comments_do_not_count(self):
        self.tree({"src/base/a.cc": '// #include "engine/a.h"\n/*\n#include "engine/a.h"\n*/\n'})
        self.assert_clean(layers)
