# The lints. Sourced by the verb and by the suite.

lint_fast() {
  local file status=0 lint
  for lint in layers banned includes sizes docs hygiene; do
    python3 "tools/lint/$lint.py" || status=1
  done
  while read -r file; do
    bash -n "$file" || status=1
  done < <(find dev .ci/run tools -name '*.sh' -o -path dev -o -path .ci/run)
  find src -name '*.h' -o -name '*.cc' | xargs -r -P "$(nproc)" -n 40 clang-format-19 --dry-run -Werror || {
    echo "clang-format: ./dev fmt lays these files out"
    status=1
  }
  return $status
}

# clang-tidy reads the compile commands of the build tree, which needs its generated files and precompiled headers.
lint_tidy() {
  build "$WEIR_PRESET" all
  python3 tools/lint/tidy.py --build "build/$WEIR_PRESET" "$@"
}
