# build [TARGET…]: install what is missing and build; the program is left at build/release/weir
deps
if [ $# -gt 0 ]; then
  build "$WEIR_PRESET" "$@"
else
  build "$WEIR_PRESET" weir
fi
