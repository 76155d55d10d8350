# fast 30: end-to-end tests against the built program (tests/e2e/test_*.py)
python_tests tests/e2e 'test_*.py'
