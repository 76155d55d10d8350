# long 80: start-up time, idle memory and many topics at once, in the release build (tests/scale/long_*.py)
build "$WEIR_PRESET" weir weir_make_log
python3 tools/dev/run_unittests.py tests/scale 'long_*.py'
