"""What weir promises to reach: by row, (metric, kind, limit).

Kinds: `at least` and `at most` compare the ratio weir / Kafka; `below` is an absolute limit; `of limit` compares with the
machine's limit of the same run (receive, checksum, write to the page cache), `of fdatasync` with the disk's own p99.
"""
TARGETS = {
    "a-raw": [("mb_per_s", "at least", 2.0), ("cpu_s_per_gib", "at most", 0.5), ("cpu_s_per_gib", "of limit", 1.5)],
    "a-raw/pin": [("mb_per_s", "at least", 2.0), ("cpu_s_per_gib", "at most", 0.5), ("cpu_s_per_gib", "of limit", 1.5)],
    "b-raw": [("mb_per_s", "at least", 2.0), ("cpu_s_per_gib", "at most", 0.5), ("cpu_s_per_gib", "of limit", 1.5)],
    "b-raw/pin": [("mb_per_s", "at least", 2.0), ("cpu_s_per_gib", "at most", 0.5), ("cpu_s_per_gib", "of limit", 1.5)],
    "c-rec": [("p50_ms", "at most", 1.0), ("p99_ms", "at most", 1.0)],
    "c-sync": [("p99_ms", "of fdatasync", 4.0)],
    "d-raw": [("mb_per_s", "at least", 1.3), ("cpu_s_per_gib", "below", 0.35)],
    "d-raw/pin": [("mb_per_s", "at least", 1.3), ("cpu_s_per_gib", "below", 0.35)],
    "d-disk": [("cpu_s_per_gib", "at most", 1.0)],
    "e-5ms": [("p50_ms", "at most", 1.0), ("p99_ms", "at most", 1.0)],
    "e-0ms": [("p50_ms", "at most", 0.7), ("p99_ms", "at most", 0.7)],
    "f-raw": [("mb_per_s", "at least", 5.0), ("mb_per_s", "above", 390), ("cpu_s_per_gib", "at most", 0.1),
              ("cpu_s_per_gib", "below", 3.7)],
    "g-raw": [("cpu_s_per_gib", "at most", 0.5)],
    "h": [("exec_to_metadata_ms", "below", 100), ("idle_rss_mib", "below", 28.6)],
    "h-mem": [("peak_rss_mib", "below", 267)],
    "i-raw": [("p50_us", "at most", 1.0), ("p99_us", "at most", 1.0)],
    "l-idle": [("kib_per_connection", "below", 10)],
    "j-s3": [("p50_by_model", "below", 1.3), ("p99_by_model", "below", 1.3), ("mb_per_s", "above", 49.5),
             ("driver_cpu_s_per_gib", "below", 0.5)],
    "k-many": [("records_per_s", "above", 990), ("read_share", "above", 1), ("p99_ms", "below", 1000),
               ("broker_cores", "below", 1), ("peak_rss_mib", "below", 1024), ("store_requests_by_few", "below", 1.2)],
    "m-stream": [("in_out_mb_per_core", "above", 115)],
}
