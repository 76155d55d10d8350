# bench [ARGS…]: run weir and Apache Kafka in turn with the same clients (`bench --help`); `bench micro [FILTER]` runs the micro-benchmarks
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
build "$WEIR_PRESET" weir
WEIR_BIN=$WEIR_BIN exec python3 -B tools/bench "$@"
