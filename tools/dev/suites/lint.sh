# fast 10: the lints of tools/lint and clang-format, and the canaries that show each lint fail
[ -z "${WEIR_FILTER:-}" ] || suite_skip "it has no tests by name"
. tools/dev/lint.sh
lint_fast
python3 tools/dev/run_unittests.py tests/lint 'test_*.py'
