"""A server that answers each request by a function of the test, over http or https."""
import http.server
import ssl
import threading

EMPTY_LIST = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"


def error(code, message="said so", more=""):
    return f"<Error><Code>{code}</Code><Message>{message}</Message>{more}</Error>"


class FakeS3:
    """`answer(method, path)` gives (status, text, headers)."""

    def __init__(self, answer, certificate=None):
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fake.requests.append(f"{self.command} {self.path}")
                status, text, headers = answer(self.command, self.path)
                body = text.encode()
                self.send_response_only(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.requests = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        self.endpoint = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
