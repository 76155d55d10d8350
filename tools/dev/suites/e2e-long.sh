# long 25: the main job with 1 GiB through each of three producers, five kills each (tests/e2e/long_*.py)
. tools/dev/clients.sh
clients_packages
python_tests tests/e2e 'long_*.py'
