"""Many kills: WEIR_KILLS, else 100, on one broker and on either of two."""
import os
import unittest

from killing import Killing

KILLS = int(os.environ.get("WEIR_KILLS", "100"))


class ManyKills(Killing):
    def test_one_broker(self):
        self.run_kills(brokers=1, kills=KILLS)

    def test_two_brokers_of_one_directory(self):
        self.run_kills(brokers=2, kills=KILLS)


if __name__ == "__main__":
    unittest.main()
