"""`weir verify` reads only: a directory of another user, a bucket that was never probed, and nothing is changed by it."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
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

    def verify(self, store, program=None, **how):
        return subprocess.run([program or brokers.binary(), "verify", "--store", store.url], capture_output=True, text=True,
                              env={**os.environ, **store.environment}, **how)

    def test_of_a_directory_needs_no_right_to_write_and_changes_nothing(self):
        # The checkout may lie where other users are not let in.
        open_to_all = pathlib.Path(tempfile.mkdtemp(prefix="weir-verify-"))
        self.addCleanup(subprocess.run, ["rm", "-rf", str(open_to_all)])
        open_to_all.chmod(0o755)
        program = shutil.copy(brokers.binary(), open_to_all / "weir")
        store = stores.DirectoryStore(open_to_all / "store")
        broker = brokers.Broker(self.work, store, options=["--inline-bytes", "64KiB"])
        broker.start()
        fill(broker)
        broker.stop()
        subprocess.run(["chmod", "-R", "a+rX,a-w", str(store.path)], check=True)
        self.addCleanup(subprocess.run, ["chmod", "-R", "u+w", str(store.path)])
        before = files_of(store.path)
        found = self.verify(store, program, **({"user": NOBODY} if os.geteuid() == 0 else {}))
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
