"""Waiting without sleeping: a line reader that wakes whoever waits, and a poll for what nobody announces."""
import threading
import time

POLL_SECONDS = 0.02


class Lines:
    """Collects the lines of a stream in a thread of its own; `on_line` is called there for each."""

    def __init__(self, stream, on_line=None):
        self._stream = stream
        self._on_line = on_line
        self._changed = threading.Condition()
        self._lines = []
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self._stream:
            line = line.rstrip("\n")
            if self._on_line:
                self._on_line(line)
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def all(self):
        with self._changed:
            return list(self._lines)

    def at(self, index, timeout, what):
        """Line number `index`, as soon as it is there; AssertionError at the end of the stream or of the time."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._lines) > index or self._ended, timeout)
            if len(self._lines) > index:
                return self._lines[index]
            raise AssertionError(f"{what}: " + ("the stream ended" if self._ended else f"nothing within {timeout} s"))

    def find(self, matches, timeout, what):
        """The first line that `matches`."""
        deadline = time.monotonic() + timeout
        index = 0
        while True:
            line = self.at(index, max(0.0, deadline - time.monotonic()), what)
            if matches(line):
                return line
            index += 1

    def join(self, timeout):
        self._thread.join(timeout)


def until(predicate, timeout, what):
    """Polls until `predicate` gives something true, and returns that."""
    deadline = time.monotonic() + timeout
    while True:
        found = predicate()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {timeout} s")
        time.sleep(POLL_SECONDS)
