# long 20: the S3 driver and a broker on real servers: conformance, outages (tests/stores/long_*.py)
build "$WEIR_PRESET" weir_objstore_s3_test
export WEIR_PRESET
python_tests tests/stores 'long_*.py'
