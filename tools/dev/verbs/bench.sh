# bench [ARGS…]: run weir and Apache Kafka in turn with the same clients (`bench --help`); `bench --micro [FILTER]` runs the micro-benchmarks, `bench --flame produce|consume FILE.svg` draws where a broker's time goes
deps
case ${1:-} in
  --micro | micro)
    mapfile -t names < <(programs _bench | grep -e "${2:-.}")
    [ ${#names[@]} -gt 0 ] || fail "no micro-benchmark matches '${2:-}'"
    build "$WEIR_PRESET" "${names[@]}"
    for name in "${names[@]}"; do
      "build/$WEIR_PRESET/$name"
    done
    return
    ;;
  --flame)
    shift
    build "$WEIR_PRESET" weir
    WEIR_BIN=$WEIR_BIN exec python3 -B tools/bench/flamegraph.py "$@"
    ;;
esac
build "$WEIR_PRESET" weir weir_machine_limit
WEIR_BIN=$WEIR_BIN exec python3 -B tools/bench "$@"
