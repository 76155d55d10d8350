# long 24: on an S3 server: three kill -9 under load by an idempotent Java producer, on one broker and on either of two (tests/kill/test_*.py)
. tools/dev/clients.sh
clients_packages
export WEIR_TEST_STORE=s3
python_tests tests/kill 'test_*.py'
