# long 30: a hundred kill -9 under load (WEIR_KILLS), on one broker and on either of two (tests/kill/long_*.py)
. tools/dev/clients.sh
clients_packages
python_tests tests/kill 'long_*.py'
