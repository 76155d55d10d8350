# fuzz [TARGET|all] [SECONDS]: run one fuzz target, or each of them, for SECONDS (60); corpora are kept in build/fuzz-corpus
deps
. tools/dev/fuzz.sh
fuzz_run "${1:-all}" "${2:-60}"
