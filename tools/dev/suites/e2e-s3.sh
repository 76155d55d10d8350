# long 22: on an S3 server: the main job in small: text through real clients, kill -9 in the middle, byte for byte out (tests/e2e/test_*.py)
. tools/dev/clients.sh
clients_packages
export WEIR_TEST_STORE=s3
python_tests tests/e2e 'test_*.py'
