"""Each fault that a kill could cause is noticed; a clean run is not accused."""
import unittest

from journal import Journal


def journal(count=6):
    made = Journal(1)
    for n in range(count):
        made.note(f"A 0 {n} {n} {1000 + n} {1005 + n}")
        made.note(f"R 0 {n} {n}")
    made.note(f"E 0 {count}")
    return made


def stored(numbers):
    return {0: list(enumerate(numbers))}


class Verdict(unittest.TestCase):
    def check(self, made, content, *words):
        text = "\n".join(made.faults(content))
        for word in words:
            self.assertIn(word, text)

    def test_a_clean_run_is_clean(self):
        self.assertEqual(journal().faults(stored(range(6))), [])

    def test_a_lost_record_at_the_end(self):
        self.check(journal(), stored(range(5)), "1 acknowledged records are lost, first [5]")

    def test_a_lost_record_in_the_middle(self):
        self.check(journal(), stored([0, 1, 3, 4, 5]), "lost, first [2]", "not at the offset acknowledged")

    def test_a_duplicate(self):
        self.check(journal(), stored([0, 1, 2, 2, 3, 4, 5]), "1 duplicates, of [2]")

    def test_a_reorder(self):
        self.check(journal(), stored([0, 2, 1, 3, 4, 5]), "out of order, [2, 1] at offset 2")

    def test_a_hole_in_the_offsets(self):
        self.check(journal(), {0: [(0, 0), (1, 1), (2, 2), (4, 3), (5, 4), (6, 5)]}, "offsets are not dense")

    def test_a_record_that_the_consumer_did_not_see(self):
        made = journal()
        made.reads[0].pop()
        self.check(made, stored(range(6)), "the following consumer read 5 records")

    def test_a_record_that_the_consumer_saw_and_that_is_gone(self):
        made = journal()
        made.reads[0].append((6, 6))
        self.check(made, stored(range(6)), "the following consumer read 7 records")

    def test_a_failed_or_unanswered_record(self):
        made = journal()
        made.note("F 0 6 org.apache.kafka.common.errors.TimeoutException: expired")
        made.note("E 0 7")
        self.check(made, stored(range(6)), "TimeoutException", "7 records sent, 6 acknowledged")

    def test_a_partition_that_is_not_served_again(self):
        self.assertIsNone(journal().served_after(2000, timeout=0))
        self.assertAlmostEqual(journal().served_after(1002, timeout=0), 0.006)


if __name__ == "__main__":
    unittest.main()
