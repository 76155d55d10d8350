# long 10: real Kafka clients at their limits: large messages, many partitions and topics, long streams (tests/compat/long_*.py)
. tools/dev/clients.sh
clients_packages
python_tests tests/compat 'long_*.py'
