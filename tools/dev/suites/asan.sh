# long 40: the tests beside the code and 20 seeds of the simulation under AddressSanitizer and UBSan
. tools/dev/unit.sh
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
unit_run asan
sim_seeds asan 20
