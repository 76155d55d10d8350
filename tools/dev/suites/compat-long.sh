# long 10: real Kafka clients, every codec and the rest (tests/compat/long_*.py)
python_tests tests/compat 'long_*.py'
