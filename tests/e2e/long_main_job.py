"""The main job in full: a CSV of WEIR_LONG_CSV_MIB, else 1 GiB, with more kills; a smaller one on two brokers."""
import os
import unittest

from jobs import Jobs
from main_job import MainJob


class LargeJob(Jobs, MainJob):
    csv_mib = int(os.environ.get("WEIR_LONG_CSV_MIB", "1024"))
    kills = 5
    seconds_max = 900


class TwoBrokerJob(Jobs, MainJob):
    csv_mib = int(os.environ.get("WEIR_CSV_MIB", "128"))
    kills = 5
    brokers = 2
    seconds_max = 300


if __name__ == "__main__":
    unittest.main()
