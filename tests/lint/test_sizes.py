import types

import lint_case

import sizes

ALLOWED = sizes.ALLOWED


def function(name, lines):
    return f"int {name}(int x) {{\n" + "  ++x;\n" * (lines - 2) + "}\n"


class Sizes(lint_case.LintCase):
    def functions(self, text):
        return [(name, length) for name, _, length in sizes.cpp_functions(text)]

    def test_a_file_of_401_lines_is_found_and_400_are_fine(self):
        self.tree({"src/a.cc": "int a;\n" * 401, "src/b.cc": "int a;\n" * 400})
        self.assert_found(sizes, "src/a.cc:1: file has 401 lines")

    def test_a_function_of_71_lines_is_found_and_70_are_fine(self):
        self.tree({"src/a.cc": function("small", 70) + function("big", 71)})
        self.assert_found(sizes, "src/a.cc:71: function big has 71 lines")

    def test_a_python_function_of_71_lines_is_found(self):
        self.tree({"tools/a.py": "def big():\n" + "    pass\n" * 70})
        self.assert_found(sizes, "tools/a.py:1: function big has 71 lines")

    def test_a_long_readme_is_found(self):
        self.tree({"src/README.md": "x\n" * 16, "tools/README.md": "x\n" * 15})
        self.assert_found(sizes, "src/README.md:1: README has 16 lines")

    def test_what_is_allowed_may_stay_but_not_grow(self):
        self.tree({"src/a.cc": "int a;\n" * 450, ALLOWED: "# head\nsrc/a.cc 450\n"})
        self.assert_clean(sizes)
        self.tree({"src/a.cc": "int a;\n" * 451})
        self.assert_found(sizes, "file has 451 lines, 450 are allowed")

    def test_what_has_shrunk_must_be_lowered_and_update_does_it(self):
        self.tree({"src/a.cc": "int a;\n" * 420 + function("f", 10), "src/b.cc": "int a;\n",
                   ALLOWED: "# head\nsrc/a.cc 450\nsrc/b.cc 500\n"})
        self.assert_found(sizes, "src/a.cc has shrunk", "src/b.cc has shrunk")
        self.found(sizes, types.SimpleNamespace(update=True))
        self.assertEqual((self.root / ALLOWED).read_text(), "# head\nsrc/a.cc 430\n")
        self.assert_clean(sizes)

    def test_update_never_raises(self):
        self.tree({"src/a.cc": "int a;\n" * 460, ALLOWED: "# head\nsrc/a.cc 450\n"})
        self.found(sizes, types.SimpleNamespace(update=True))
        self.assert_found(sizes, "file has 460 lines, 450 are allowed")

    def test_nothing_allows_more_than_800_lines(self):
        self.tree({"src/a.cc": "int a;\n" * 801, ALLOWED: "src/a.cc 801\n"})
        self.assert_found(sizes, "800 is the hard stop")

    def test_functions_of_all_shapes_are_measured(self):
        text = """
namespace weir {
class Thing final : public Base {
 public:
  explicit Thing(int x) : x_(x), y_{1} {
    f();
  }
  ~Thing() override {}
  int get() const noexcept { return x_; }
  bool operator()(int x) const {
    auto later = [x] { if (x) { return 1; } return 2; };
    return later();
  }
  int table_[2] = {1, 2};
};
struct Plain { int a{1}; };
template <class T>
  requires Small<T>
auto make(T t) -> std::unique_ptr<T> {
#define NOISE {
  return {};
}
Task<Result<void>> Thing::run(Options options) {
  for (;;) {
  }
}
enum class E { a, b };
constexpr std::array<int, 2> kTable = {f(1), 2};
TEST(Thing, does_it) {
  EXPECT_EQ(1, 1);
}
}  // namespace weir
"""
        self.assertEqual(self.functions(text), [("Thing", 3), ("~Thing", 1), ("get", 1), ("operator", 4), ("make", 6),
                                                ("Thing::run", 4), ("Thing.does_it", 3)])
