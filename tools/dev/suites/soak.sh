# long 91: half an hour with short retention and kills on an S3 server: the bucket stops growing and is clean (tests/endure/endure_soak.py)
python_tests tests/endure 'endure_soak.py'
