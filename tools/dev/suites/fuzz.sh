# long 70: each fuzz target for 60 seconds
. tools/dev/fuzz.sh
[ -n "$(programs _fuzz)" ] || suite_skip "there is no fuzz target yet"
fuzz_run all 60
suite_note "$(programs _fuzz | wc -l) targets"
