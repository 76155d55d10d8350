# fast 20: the tests beside the code (GoogleTest), in the release build
. tools/dev/unit.sh
unit_run "$WEIR_PRESET"
