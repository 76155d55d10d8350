# long 45: half an hour (WEIR_FAULT_SECONDS) of load through a proxy that injects every fault of a store: nothing lost, requests within the budget (tests/kill/store_faults.py)
. tools/dev/clients.sh
clients_packages
python_tests tests/kill 'store_faults.py'
