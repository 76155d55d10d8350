# long 20: every message and version against the definitions and the bytes of Apache Kafka's own client
build "$WEIR_PRESET" weir_wire_test
log=$WEIR_ROOT/build/$WEIR_PRESET/wire.log
status=0
ctest --test-dir "build/$WEIR_PRESET" --verbose --tests-regex _against_jar --no-tests=error >"$log" 2>&1 || status=1
cat "$log"
reason=$(sed -n 's/^[0-9]*: skipped: //p' "$log" | head -n 1)
if [ "$status" -eq 0 ] && [ -n "$reason" ]; then
  suite_skip "$reason"
fi
exit "$status"
