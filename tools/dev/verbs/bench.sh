# bench [ARGS…]: run weir and Apache Kafka in turn with the same client; `bench micro [FILTER]` runs the micro-benchmarks
deps
if [ "${1:-}" = micro ]; then
  mapfile -t names < <(programs _bench | grep -e "${2:-.}")
  [ ${#names[@]} -gt 0 ] || fail "no micro-benchmark matches '${2:-}'"
  build "$WEIR_PRESET" "${names[@]}"
  for name in "${names[@]}"; do
    "build/$WEIR_PRESET/$name"
  done
  return
fi
[ -f tests/bench/run.py ] || fail "the comparison with Apache Kafka (tests/bench/run.py) does not exist yet; ./dev bench micro does"
build "$WEIR_PRESET" weir
WEIR_BIN=$WEIR_BIN exec python3 tests/bench/run.py "$@"
