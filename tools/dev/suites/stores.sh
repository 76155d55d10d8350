# fast 40: the drivers of remote stores on servers from package registries: conformance, races (tests/stores/test_*.py)
build "$WEIR_PRESET" weir weir_objstore_gcs_test
python3 tools/dev/run_unittests.py tests/stores 'test_*.py'
