"""A few kills of each kind; long_kill.py has many."""
import unittest

from killing import Killing


class FewKills(Killing):
    def test_one_broker(self):
        self.run_kills(brokers=1, kills=3)

    def test_two_brokers_of_one_directory(self):
        self.run_kills(brokers=2, kills=3)


if __name__ == "__main__":
    unittest.main()
