# lint [--fast|--changed]: all lints; --fast leaves clang-tidy out, --changed runs it on files that differ from HEAD only
deps
. tools/dev/lint.sh
case ${1:-} in
  --fast) lint_fast ;;
  --changed) lint_fast && lint_tidy --changed ;;
  '') lint_fast && lint_tidy ;;
  *) fail "lint knows --fast and --changed" ;;
esac
