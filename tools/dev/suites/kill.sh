# long 30: kill -9 under load, lost power and full disks (tests/e2e/long_*.py)
python_tests tests/e2e 'long_*.py'
