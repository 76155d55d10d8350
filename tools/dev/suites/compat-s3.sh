# long 23: on an S3 server: real Kafka clients and tools: every codec, the admin API, what clients are told of refusals (tests/compat/test_*.py)
. tools/dev/clients.sh
clients_packages
export WEIR_TEST_STORE=s3
python_tests tests/compat 'test_*.py'
