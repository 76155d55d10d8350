"""A broker that cannot use its S3 bucket says why and what to do, in one line, within ten seconds."""
import email.utils
import os
import shutil
import socket
import subprocess
import time
import unittest

from fake_s3 import EMPTY_LIST, FakeS3, error
from harness.broker import binary
from harness.case import new_work_directory

SECONDS_MAX = 10
SECRET = "the-secret-key"


class Start(unittest.TestCase):
    def setUp(self):
        self.work = new_work_directory(self._testMethodName)
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)

    def serve(self, answer, certificate=None):
        fake = FakeS3(answer, certificate)
        self.addCleanup(fake.close)
        return fake

    def always(self, status, text="", headers=None):
        return self.serve(lambda method, path: (status, text, headers or {}))

    def start(self, url, **environment):
        """The exit status and the line of a start that fails."""
        names = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        names |= {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": SECRET, **environment}
        begin = time.monotonic()
        done = subprocess.run([binary(), "broker", "--store", url, "--listen", "127.0.0.1:0", "--admin", "off"],
                              capture_output=True, text=True, timeout=60, env=names, cwd=self.work)
        seconds = time.monotonic() - begin
        lines = [line for line in done.stderr.splitlines() if line.startswith("weir broker: ")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        self.assertLess(seconds, SECONDS_MAX, lines)
        return done.returncode, lines[0]

    def says(self, url, *texts, status=1):
        returned, line = self.start(url)
        self.assertEqual(returned, status, line)
        for text in texts:
            self.assertIn(text, line)

    def url(self, fake):
        return f"s3://bucket/p?endpoint={fake.endpoint}&region=eu-west-1&proxy=none"

    def test_wrong_bucket(self):
        self.says(self.url(self.always(404, error("NoSuchBucket"))), "no such bucket; create it")

    def test_wrong_region(self):
        fake = self.always(301, error("PermanentRedirect"), {"x-amz-bucket-region": "us-west-2"})
        self.says(self.url(fake), "in region us-west-2, not in eu-west-1; write region=us-west-2")

    def test_no_region(self):
        self.says("s3://bucket", "?region=", status=2)

    def test_unknown_option(self):
        self.says("s3://bucket?region=r&pathstyle=true", "--store s3://bucket?region=r&pathstyle=true: unknown option 'pathstyle'", "path_style",
                  status=2)

    def test_unknown_access_key(self):
        self.says(self.url(self.always(403, error("InvalidAccessKeyId"))), "credentials from", "environment")

    def test_wrong_secret_key(self):
        self.says(self.url(self.always(403, error("SignatureDoesNotMatch"))), "secret key from")

    def test_wrong_clock(self):
        date = email.utils.formatdate(time.time() + 3600, usegmt=True)
        fake = self.always(403, error("RequestTimeTooSkewed"), {"Date": date})
        self.says(self.url(fake), "s behind the store's; set it")

    def test_may_not_list(self):
        self.says(self.url(self.always(403, error("AccessDenied"))), "allow them s3:ListBucket")

    def test_may_not_write(self):
        def answer(method, path):
            if method == "GET":
                return (200, EMPTY_LIST, {}) if "list-type" in path else (404, error("NoSuchKey"), {})
            return 403, error("AccessDenied"), {}

        self.says(self.url(self.serve(answer)), "s3:PutObject")

    def test_store_without_conditional_writes(self):
        def answer(method, path):
            if method == "GET":
                return (200, EMPTY_LIST, {}) if "list-type" in path else (404, error("NoSuchKey"), {})
            if method == "POST":
                return 200, "<DeleteResult/>", {}
            return 200, "", {"ETag": '"same"'}

        returned, _ = self.start(self.url(self.serve(answer)))
        self.assertEqual(returned, 1)

    def test_server_in_trouble(self):
        self.says(self.url(self.always(503, error("SlowDown"))), "503 SlowDown", "fewer requests")

    def test_no_s3_server(self):
        self.says(self.url(self.always(200, "<html>welcome</html>")), "check that the endpoint is an S3 server")

    def test_nobody_listens(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.says(f"s3://bucket?endpoint=http://127.0.0.1:{probe.getsockname()[1]}&proxy=none",
                      "check host, port and firewall")

    def test_nobody_answers(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            probe.listen()
            self.says(f"s3://bucket?endpoint=http://127.0.0.1:{probe.getsockname()[1]}&proxy=none", "imed out")

    def test_unknown_host(self):
        self.says("s3://bucket?endpoint=http://no-such-host.invalid&proxy=none", "check the name and the DNS")

    def test_tls_to_a_plain_port(self):
        fake = self.always(200, EMPTY_LIST)
        self.says(self.url(fake).replace("http:", "https:"), "speaks TLS")

    def certificate(self):
        if shutil.which("openssl") is None:
            self.skipTest("no openssl to make a certificate with")
        both = self.work / "both.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1",
                        "-keyout", "key.pem", "-out", "cert.pem"], cwd=self.work, check=True, capture_output=True)
        both.write_text((self.work / "key.pem").read_text() + (self.work / "cert.pem").read_text())
        return both

    def test_untrusted_certificate(self):
        fake = self.serve(lambda method, path: (200, EMPTY_LIST, {}), self.certificate())
        self.says(self.url(fake), "not trusted; name its authority with the option ca_file")

    def test_trusted_certificate(self):
        fake = self.serve(lambda method, path: (404, error("NoSuchBucket"), {}), self.certificate())
        self.says(f"{self.url(fake)}&ca_file={self.work}/cert.pem", "no such bucket")


if __name__ == "__main__":
    unittest.main()
