# fast 30: the main job in small: text through real clients, kill -9 in the middle, byte for byte out; the broker as a process (tests/e2e/test_*.py)
. tools/dev/clients.sh
clients_packages
python_tests tests/e2e 'test_*.py'
