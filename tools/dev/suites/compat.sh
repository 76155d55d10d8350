# fast 40: real Kafka clients and tools: every codec, the admin API, what clients are told of refusals (tests/compat/test_*.py)
. tools/dev/clients.sh
clients_packages
python_tests tests/compat 'test_*.py'
