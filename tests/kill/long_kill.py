"""Many kills: WEIR_KILLS, else 100, on one broker and on either of two; and restarts by SIGTERM."""
import os
import unittest

from killing import Killing

KILLS = int(os.environ.get("WEIR_KILLS", "100"))
RESTARTS = 10


class ManyKills(Killing):
    def test_one_broker(self):
        self.run_kills(brokers=1, kills=KILLS)

    def test_two_brokers_of_one_directory(self):
        self.run_kills(brokers=2, kills=KILLS)

    def test_restarts_of_one_broker(self):
        self.run_restarts(brokers=1, restarts=RESTARTS)

    def test_restarts_of_two_brokers_in_turn(self):
        self.run_restarts(brokers=2, restarts=RESTARTS)


if __name__ == "__main__":
    unittest.main()
