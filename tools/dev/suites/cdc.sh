# long 90: half an hour of change-data capture: 15,000 topics on an S3 server, its requests, memory and latencies (tests/endure/endure_cdc.py)
python_tests tests/endure 'endure_cdc.py'
