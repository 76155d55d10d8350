"""What a KillClient printed, and the verdict over it.

The producer writes 0, 1, 2, … to each partition and retries for ever, so in the end the log of a partition must be
exactly these numbers, each at the offset that its acknowledgement named, and number n at offset n: a lost record leaves
a gap or shifts all after it, a duplicate shifts, a reorder swaps. The consumer must have read just that while it grew.
"""
import threading


class Journal:
    def __init__(self, partitions):
        self.partitions = partitions
        self._changed = threading.Condition()
        self.acks = {p: [] for p in range(partitions)}  # (number, offset, sent ms, acked ms)
        self.reads = {p: [] for p in range(partitions)}  # (number, offset)
        self.failures = []
        self.sent = {}
        self.kills = []  # (acked ms, killed ms) of the kills that the client itself was asked for

    def note(self, line):
        """One line of the client; called by the thread that reads it."""
        kind, *words = line.split(" ")
        with self._changed:
            if kind == "A":
                partition, number, offset, sent, acked = map(int, words)
                self.acks[partition].append((number, offset, sent, acked))
            elif kind == "R":
                partition, number, offset = map(int, words)
                self.reads[partition].append((number, offset))
            elif kind == "K":
                self.kills.append(tuple(map(int, words)))
            elif kind == "E":
                self.sent[int(words[0])] = int(words[1])
            else:
                self.failures.append(line)
            self._changed.notify_all()

    def ack_count(self):
        return sum(map(len, self.acks.values()))

    def wait_for_kill(self, count, timeout):
        """Returns when the client has killed for the `count`th time."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.kills) >= count, timeout), "no acknowledgement to kill after"

    def served_after(self, moment_ms, timeout):
        """Seconds from `moment_ms` until each partition had acknowledged a record sent after it; None if one did not."""
        def firsts():
            return [next((a[3] for a in reversed(self.acks[p]) if a[2] > moment_ms), None) for p in range(self.partitions)]

        with self._changed:
            if not self._changed.wait_for(lambda: None not in firsts(), timeout):
                return None
            first = [min(a[3] for a in self.acks[p] if a[2] > moment_ms) for p in range(self.partitions)]
            return (max(first) - moment_ms) / 1000

    def faults(self, stored):
        """All that is wrong, as texts; `stored` is {partition: [(offset, number)]} read back at the end."""
        found = [f"the client reported: {line}" for line in self.failures[:20]]
        for p in range(self.partitions):
            found += self._partition_faults(p, stored.get(p, []))
        return found

    def _partition_faults(self, p, stored):
        numbers = [number for _, number in stored]
        offset_of = {number: offset for offset, number in reversed(stored)}
        lost = [a[0] for a in self.acks[p] if a[0] not in offset_of]
        if lost:
            yield f"partition {p}: {len(lost)} acknowledged records are lost, first {lost[:5]}"
        if len(offset_of) != len(numbers):
            twice = sorted({n for n in numbers if numbers.count(n) > 1})[:5] if len(numbers) < 5000 else "…"
            yield f"partition {p}: {len(numbers) - len(offset_of)} duplicates, of {twice}"
        fall = next((i for i in range(1, len(numbers)) if numbers[i] < numbers[i - 1]), None)
        if fall is not None:
            yield f"partition {p}: out of order, {numbers[fall - 1:fall + 1]} at offset {stored[fall][0]}"
        if [offset for offset, _ in stored] != list(range(len(stored))):
            yield f"partition {p}: offsets are not dense from 0"
        moved = [a[:2] for a in self.acks[p] if offset_of.get(a[0], a[1]) != a[1]]
        if moved:
            yield f"partition {p}: {len(moved)} records are not at the offset acknowledged, first {moved[:3]}"
        if self.sent.get(p) != len(self.acks[p]):
            yield f"partition {p}: {self.sent.get(p)} records sent, {len(self.acks[p])} acknowledged"
        if self.reads[p] != [(number, offset) for offset, number in stored]:
            yield f"partition {p}: the following consumer read {len(self.reads[p])} records, not the {len(stored)} stored in their order"
