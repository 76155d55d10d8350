# Test programs and simulation seeds of one preset. Sourced by suites.

# unit_run PRESET: builds and runs every test program; the note says how many tests there were.
unit_run() {
  local preset=$1 reports=build/$1/test-reports status=0 note
  build "$preset" weir_tests
  rm -rf "$reports"
  mkdir -p "$reports"
  if [ -n "${WEIR_FILTER:-}" ]; then
    export GTEST_FILTER="*$WEIR_FILTER*"
  fi
  GTEST_OUTPUT=xml:$WEIR_ROOT/$reports/ GTEST_COLOR=no \
    ctest --test-dir "build/$preset" --output-on-failure --exclude-regex _against_jar -j "$(nproc)" || status=1
  note=$(python3 tools/dev/gtest_summary.py "$reports" "build/$preset") || status=1
  echo "$note"
  suite_note "$note"
  return $status
}

# sim_seeds PRESET COUNT [ARGS…]: seeds 1 … COUNT; the program says how to replay the bad ones.
sim_seeds() {
  local preset=$1 count=$2
  shift 2
  build "$preset" weir_sim
  "build/$preset/weir_sim" --seeds "1..$count" --jobs "$(nproc)" "$@"
}
