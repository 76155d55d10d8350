# Runs test suites: each is one script in tools/dev/suites, whose first line says when it runs and what it does:
#   # fast 10: what it does        (part of ./dev test)
#   # long 50: what it does        (added by ./dev test --all)
# The number orders them. A suite is run by bash in the root of the checkout with lib.sh at hand. It fails by its
# exit status, and skips by `suite_skip REASON`; WEIR_REQUIRE_ALL=1 makes a skip a failure.

suite_exit_skip=77

suites_sorted() {
  local file
  for file in tools/dev/suites/*.sh; do
    sed -n "1s,^# \(fast\|long\) \([0-9]*\): \(.*\)\$,\1 \2 $(basename "$file" .sh) \3,p" "$file"
  done | sort -k1,1 -k2,2n
}

suites_list() { suites_sorted | awk '{ printf "%-12s %s ", $3, $1; $1 = $2 = $3 = ""; print }'; }

# suites_names ALL: the names, without the long ones if ALL is empty.
suites_names() {
  suites_sorted | while read -r speed _ name _; do
    if [ "$speed" = fast ] || [ -n "$1" ]; then echo "$name"; fi
  done
}

# Runs one suite in a shell of its own; leaves its one-line note in $suite_note_file.
suite_shell() {
  WEIR_SUITE_NOTE=$suite_note_file bash -c '
    set -euo pipefail
    . tools/dev/lib.sh
    export WEIR_BIN WEIR_ROOT
    suite_note() { printf "%s" "$*" >"$WEIR_SUITE_NOTE"; }
    suite_skip() { suite_note "$*"; exit 77; }
    . "$0"' "tools/dev/suites/$1.sh" 2>&1
}

suites_run() {
  local name start all_start=$EPOCHREALTIME status result line lines=() passed=0 failed=0 skipped=0
  mkdir -p build
  suite_note_file=$(mktemp build/suite-note.XXXXXX)
  export WEIR_FILTER
  for name in "$@"; do
    [ -f "tools/dev/suites/$name.sh" ] || fail "no suite '$name'; ./dev test --list shows them"
  done
  for name in "$@"; do
    printf '\n== suite %s: %s\n' "$name" "$(sed -n '1s/^# [a-z]* [0-9]*: //p' "tools/dev/suites/$name.sh")"
    start=$EPOCHREALTIME
    status=0
    : >"$suite_note_file"
    suite_shell "$name" || status=$?
    if [ "$status" -eq "$suite_exit_skip" ] && [ "${WEIR_REQUIRE_ALL:-}" != 1 ]; then
      result=skipped
      skipped=$((skipped + 1))
    elif [ "$status" -eq 0 ]; then
      result=passed
      passed=$((passed + 1))
    else
      result=FAILED
      failed=$((failed + 1))
    fi
    line=$(printf '%-12s %-8s %7s s  %s' "$name" "$result" "$(seconds_since "$start")" "$(cat "$suite_note_file")")
    printf -- '-- %s\n' "$line"
    lines+=("$line")
  done
  rm -f "$suite_note_file"
  printf '\n== summary\n'
  printf '%s\n' "${lines[@]}"
  printf '%d suites: %d passed, %d failed, %d skipped in %s s\n' $# $passed $failed $skipped "$(seconds_since "$all_start")"
  if [ -n "${WEIR_FILTER:-}" ] && [ $((passed + failed)) -eq 0 ]; then
    fail "no test of these suites matches '$WEIR_FILTER'"
  fi
  if [ "${WEIR_REQUIRE_ALL:-}" != 1 ] && printf '%s\n' "${lines[@]}" | grep -q 'Debian package'; then
    echo "WEIR_REQUIRE_ALL=1 ./dev test installs what the skipped tests need: some hundred megabytes of Java, Maven and Node"
  fi
  [ "$failed" -eq 0 ]
}
