"""Where the brokers of a test keep their data.

WEIR_TEST_STORE says what kind of store the whole run uses: `file` (the default, a directory of the test) or `s3` (a
prefix in a bucket of one versitygw, which the first test that needs it starts and which ends with the process).
"""
import atexit
import os
import pathlib

from harness import s3


class DirectoryStore:
    environment = {}
    options = ()

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.mkdir(exist_ok=True)

    @property
    def url(self):
        return f"file://{self.path}"


class S3Store:
    # Over S3 a dead broker is given minutes, for the price of vouchers; no test waits so long.
    options = ("--set", "broker.session.timeout.ms=9000")

    def __init__(self, server, prefix):
        self.url = server.url(prefix)
        self.environment = server.environment


_shared = []


def _shared_server():
    if not _shared:
        server = s3.Versitygw()
        server.start()
        atexit.register(server.stop)
        _shared.append(server)
    return _shared[0]


def store_of(work, name):
    """The store `name` of the test that works in the directory `work`; the same for the same names."""
    kind = os.environ.get("WEIR_TEST_STORE") or "file"
    if kind == "file":
        return DirectoryStore(work / name)
    if kind == "s3":
        return S3Store(_shared_server(), f"{work.name}/{name}")
    raise AssertionError(f"WEIR_TEST_STORE is file or s3, not {kind!r}")
