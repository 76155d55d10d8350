# long 90: librdkafka's own test suite, each of its numbers on a broker of its own (tests/librdkafka/long_*.py)
. tools/dev/clients.sh
clients_packages
deps packages-librdkafka
python_tests tests/librdkafka 'long_*.py'
