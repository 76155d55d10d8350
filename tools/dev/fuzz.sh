# Builds and runs the libFuzzer targets (src/**/NAME_fuzz.cc). Sourced by the verb and by the suite.

# fuzz_run TARGET|all SECONDS: as many at a time as there are cores.
fuzz_run() {
  local target=$1 seconds=$2 names
  mapfile -t names < <(programs _fuzz)
  [ ${#names[@]} -gt 0 ] || fail "there is no fuzz target"
  if [ "$target" != all ]; then
    [[ " ${names[*]} " == *" $target "* ]] || fail "no fuzz target '$target'; there are: ${names[*]}"
    names=("$target")
  fi
  build fuzz "${names[@]}"
  printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I{} bash tools/dev/fuzz_one.sh {} "$seconds"
}
