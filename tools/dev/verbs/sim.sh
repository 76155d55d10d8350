# sim [--seed N] [ARGS…]: run the whole cluster in the deterministic simulation; the same seed replays exactly
deps
build "$WEIR_PRESET" weir_sim
exec "build/$WEIR_PRESET/weir_sim" "$@"
