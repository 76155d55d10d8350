# fast 35: three kill -9 under load by an idempotent Java producer, on one broker and on either of two (tests/kill/test_*.py)
. tools/dev/clients.sh
clients_packages
python_tests tests/kill 'test_*.py'
