# fuzz_one.sh TARGET SECONDS: runs a built fuzz target. Seeds come from tests/fuzz/TARGET, if there are any.
set -euo pipefail
target=$1 seconds=$2
corpus=build/fuzz-corpus/$target
mkdir -p "$corpus" build/fuzz-findings
seeds=()
[ ! -d "tests/fuzz/$target" ] || seeds=("tests/fuzz/$target")
log=build/fuzz-findings/$target.log
if "build/fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="build/fuzz-findings/$target-" "$corpus" "${seeds[@]}" >"$log" 2>&1; then
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, no finding"
else
  tail -n 40 "$log"
  echo "$target: FAILED; the input is in build/fuzz-findings, replay with build/fuzz/$target FILE"
  exit 1
fi
