import lint_case

import banned

# One sample per ban that must be found, in a file where nothing is allowed.
SAMPLES = {
    "print": ["std::cout << 1;", 'printf("x");', 'std::fprintf(stderr, "x");', "std::puts(text);"],
    "rand": ["int x = rand();", "std::srand(1);", "std::random_device d;", "std::mt19937_64 g(1);"],
    "clock": ["auto t = std::chrono::steady_clock::now();", "system_clock::now();", "time(nullptr);",
              "clock_gettime(CLOCK_MONOTONIC, &t);"],
    "sleep": ["std::this_thread::sleep_for(1s);", "usleep(5);", "::sleep(1);"],
    "new": ["auto* p = new Thing(1);", "delete p;", "delete[] p;", "new int[5];"],
    "malloc": ["void* p = malloc(5);", "std::free(p);"],
    "throw": ["throw Error();"],
    "assert": ["assert(x);", "#include <cassert>"],
    "regex": ["std::regex r;", "#include <regex>"],
    "thread": ["std::thread t(f);", "std::jthread t(f);", "std::async(f);"],
    "thread_local": ["thread_local int x;"],
    "reinterpret_cast": ["auto p = reinterpret_cast<char*>(q);"],
    "const_cast": ["auto p = const_cast<char*>(q);"],
    "getenv": ['getenv("HOME");', 'std::getenv("HOME");'],
    "exit": ["std::exit(1);", "exit(1);", "::_exit(1);", "std::abort();"],
    "detach": ["t.detach();"],
    "volatile": ["volatile int x;"],
    "using_namespace": ["using namespace std;"],
}

INNOCENT = """
// printf(x), new and throw, in words; it's fine
/* std::cout << rand() */
const char* s = "throw new std::thread; printf(\\"x\\")";
const char* r = R"(delete this; assert(x))";
constexpr int n = 1'000'000;  // don't
char quote = '"'; char c = '\\''; const char* t = "sleep(1)";
Thing(const Thing&) = delete;
void renew(int newest); int x = timer.time(now); static_assert(n > 5); loop.sleep(5);
co_await context.clock().sleep(5); std::this_thread::get_id(); snprintf(b, 5, "x"); new (place) Thing();
std::unique_ptr<Thing> thing(new Thing(1)); std::unique_ptr<Thing> other(
    new Thing(1));
void exit(); node.exit(); void Node::exit() {}
operand(); strand(); std::thread::id id; writer.printf(5); x->free(p); fclose(f);
"""


class Banned(lint_case.LintCase):
    def test_each_ban_has_a_sample(self):
        self.assertEqual({ban.name for ban in banned.BANS}, set(SAMPLES))

    def test_each_sample_is_found_and_names_what_to_write_instead(self):
        for ban in banned.BANS:
            for sample in SAMPLES[ban.name]:
                with self.subTest(sample):
                    self.tree({"src/engine/a.cc": sample + "\n"})
                    findings = self.found(banned)
                    self.assertEqual(len(findings), 1, findings)
                    self.assertIn(f"banned ({ban.name}); instead: {ban.instead}", findings[0])

    def test_text_that_only_looks_like_it_is_clean(self):
        self.tree({"src/engine/a.cc": INNOCENT})
        self.assert_clean(banned)

    def test_allowed_places_are_clean_and_their_neighbours_are_not(self):
        self.tree({"src/rt/asio/a.cc": "std::thread t; auto n = steady_clock::now();\n",
                   "src/rt/asiatic.cc": "std::thread t;\n"})
        self.assert_found(banned, "src/rt/asiatic.cc:1: 'std::thread'")

    def test_an_excuse_with_a_reason_counts_for_its_own_ban_only(self):
        self.tree({"src/engine/a.cc": "// LINT(new): the constructor is private.\nnew Thing(1);\n"
                                      "delete p;  // LINT(throw): wrong name\ndelete q;  // LINT(new):\n"})
        self.assert_found(banned, "a.cc:3:", "a.cc:4:")

    def test_tests_may_print_and_start_threads_but_not_sleep(self):
        self.tree({"src/engine/a_test.cc": "std::thread t; std::cout << seed;\nusleep(5);\n"})
        self.assert_found(banned, "a_test.cc:2: 'usleep('")

    def test_support_of_tests_counts_as_a_test(self):
        self.tree({"src/engine/testing/a.h": "std::thread t;\n", "src/engine/b_harness.h": "std::thread t;\n",
                   "src/engine/conformance_disk.h": "std::thread t;\n"})
        self.assert_clean(banned)

    def test_unfinished_words_are_found_in_any_source_file(self):
        self.tree({"tests/e2e/a.py": "# FIX" "ME later\n# TO" "DO later\n# TO" "DO(soon): say what\n",
                   "src/base/a.h": "int a;  // NO" "LINT\nint b;  // NO" "LINT(some-check): the reason\n"})
        self.assert_found(banned, "src/base/a.h:1: NO" "LINT", "tests/e2e/a.py:1: FIX" "ME", "tests/e2e/a.py:2: TO" "DO")
