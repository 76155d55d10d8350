# long 20: the conformance suite of the S3 driver on real servers (tests/stores/long_*.py)
build "$WEIR_PRESET" weir_objstore_s3_test
export WEIR_PRESET
python_tests tests/stores 'long_*.py'
