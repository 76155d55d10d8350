# fast 40: real Kafka clients, the quick part (tests/compat/test_*.py)
python_tests tests/compat 'test_*.py'
