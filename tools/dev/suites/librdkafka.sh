# long 90: librdkafka's own test suite, each of its numbers on a broker of its own (tests/librdkafka)
. tools/dev/clients.sh
clients_packages
deps packages-librdkafka
WEIR_FILTER='' python3 tools/dev/run_unittests.py tests/librdkafka 'test_*.py'
python_tests tests/librdkafka 'long_*.py'
