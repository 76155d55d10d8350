# long 50: the tests beside the code and 20 seeds of the simulation under ThreadSanitizer
. tools/dev/unit.sh
export TSAN_OPTIONS=second_deadlock_stack=1
unit_run tsan
sim_seeds tsan 20
