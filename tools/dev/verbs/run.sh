# run [ARGS…]: build, then start a broker (Kafka on localhost:9092, admin HTTP on localhost:9093); ARGS are those of `weir broker`
deps
build "$WEIR_PRESET" weir
exec "$WEIR_BIN" broker "$@"
