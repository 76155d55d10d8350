"""The fault proxy does what it says: each fault is seen by a client, and nothing is altered without one."""
import http.client
import time
import unittest

from fake_s3 import FakeS3
from harness.fault_proxy import FAULTS, FaultProxy

BODY = "x" * 100_000


class Proxy(unittest.TestCase):
    def through(self, faults):
        server = FakeS3(lambda method, path: (200, BODY if method == "GET" else "", {"ETag": '"1"'}))
        self.addCleanup(server.close)
        proxy = FaultProxy(int(server.endpoint.rsplit(":", 1)[1]), seed=1, faults=faults, storm_seconds=0)
        self.addCleanup(proxy.close)
        proxy.quiet = False
        return server, proxy

    def ask(self, proxy, method="GET", path="/b/log/1", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def test_without_faults_it_changes_nothing(self):
        server, proxy = self.through({})
        self.assertEqual(self.ask(proxy), (200, BODY))
        self.assertEqual(self.ask(proxy, "PUT", "/b/data/1", b"y" * 300_000)[0], 200)
        self.assertEqual(self.ask(proxy, "HEAD")[0], 200)
        self.assertEqual(proxy.seen, {"GET log": 1, "PUT data": 1, "HEAD log": 1})
        self.assertEqual(len(server.requests), 3)

    def test_refusals_never_reach_the_store(self):
        for fault, status, code in [("slow_down", 503, "SlowDown"), ("internal", 500, "InternalError"),
                                    ("expired", 400, "ExpiredToken")]:
            server, proxy = self.through({fault: 1})
            got, text = self.ask(proxy, "PUT", "/b/data/1", b"y")
            self.assertEqual(got, status)
            self.assertIn(code, text)
            self.assertEqual(server.requests, [])

    def test_a_lost_answer_was_applied_and_a_reset_was_not(self):
        for fault, applied in [("lost", 1), ("reset", 0)]:
            server, proxy = self.through({fault: 1})
            with self.assertRaises((ConnectionError, http.client.HTTPException)):
                self.ask(proxy, "PUT", "/b/data/1", b"y")
            self.assertEqual(len(server.requests), applied, fault)

    def test_stalls_take_two_seconds(self):
        for fault in ("stall", "late"):
            _, proxy = self.through({fault: 1})
            begin = time.monotonic()
            self.assertEqual(self.ask(proxy)[0], 200)
            self.assertGreaterEqual(time.monotonic() - begin, 2)

    def test_all_faults_happen(self):
        _, proxy = self.through({fault: share * 4 for fault, share in FAULTS.items() if fault not in ("stall", "late")})
        for _ in range(400):
            try:
                self.ask(proxy)
            except (ConnectionError, http.client.HTTPException):
                pass
        self.assertEqual(set(proxy.met), {"slow_down", "internal", "reset", "lost", "expired"})


if __name__ == "__main__":
    unittest.main()
