"""`weir verify` reads only: a directory of another user, a bucket that was never probed, and nothing is changed by it."""
import os
import pathlib
import random
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools/bench")]


import rawwire  # noqa: E402
from harness import broker as brokers  # noqa: E402
from harness import case, s3, stores  # noqa: E402

NOBODY = 65534


def fill(broker):
    connection = rawwire.Connection(broker.address)
    rawwire.create_topic(connection, "t", 3)
    for size in (500, 400_000):  # Once within the log, once as an object.
        records, _ = rawwire.batch(100, size, 1_700_000_000_000, random.Random(size))
        rawwire.check_produced(connection.call(rawwire.produce_request("t", range(3), records)), "t")
    connection.close()


def files_of(directory):
    return {str(path): path.stat().st_mtime_ns for path in pathlib.Path(directory).rglob("*")}


class Verify(unittest.TestCase):
    def setUp(self):
        self.work = case.new_work_directory("verify")
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.work)])

    def verify(self, store, **how):
        return subprocess.run([brokers.binary(), "verify", "--store", store.url], capture_output=True, text=True,
                              env={**os.environ, **store.environment}, **how)

    def test_of_a_directory_needs_no_right_to_write_and_changes_nothing(self):
        store = stores.DirectoryStore(self.work / "store")
        broker = brokers.Broker(self.work, store, options=["--inline-bytes", "64KiB"])
        broker.start()
        fill(broker)
        broker.stop()
        subprocess.run(["chmod", "-R", "a+rX,a-w", str(store.path)], check=True)
        self.addCleanup(subprocess.run, ["chmod", "-R", "u+w", str(store.path)])
        os.chmod(self.work, 0o755)
        before = files_of(store.path)
        found = self.verify(store, **({"user": NOBODY} if os.geteuid() == 0 else {}))
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertEqual(files_of(store.path), before)

    def test_of_a_directory_in_use_disturbs_nobody(self):
        store = stores.DirectoryStore(self.work / "store")
        broker = brokers.Broker(self.work, store)
        broker.start()
        fill(broker)
        found = self.verify(store)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        fill_again = rawwire.Connection(broker.address)
        self.assertEqual(rawwire.leaders(fill_again, "t"), 3)
        fill_again.close()
        broker.stop()
        self.assertEqual(broker.complaints(), [])

    def test_of_a_bucket_writes_no_object(self):
        server = s3.Versitygw()
        self.addCleanup(server.stop)
        server.start()
        store = stores.S3Store(server, "verify")
        broker = brokers.Broker(self.work, store, options=["--inline-bytes", "64KiB"])
        broker.start()
        fill(broker)
        broker.stop()
        bucket = pathlib.Path(server.work) / "data" / s3.BUCKET
        # As in a copy of the bucket, or one that was only ever read from here.
        (bucket / "verify/probe/passed").unlink()
        before = {name for name in files_of(bucket) if ".sgwtmp" not in name}
        found = self.verify(store)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertEqual({name for name in files_of(bucket) if ".sgwtmp" not in name}, before)


if __name__ == "__main__":
    unittest.main()
