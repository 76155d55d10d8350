"""The S3 server that some rows run on: versitygw on this machine, as it is or as slow as S3 (`latencyproxy.py`)."""
import pathlib
import subprocess
import sys

from harness import s3

PROXY = pathlib.Path(__file__).resolve().with_name("latencyproxy.py")


class SlowVersitygw(s3.Versitygw):
    """The same interface; brokers come through the proxy."""

    _proxy = None
    _proxy_port = 0

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self._proxy_port}"

    @property
    def proxy_pid(self):
        return self._proxy.pid

    def start(self):
        super().start()
        self._proxy = subprocess.Popen([sys.executable, "-B", str(PROXY), "--store", f"127.0.0.1:{self.port}"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self._proxy_port = int(self._proxy.stdout.readline() or 0)
        if not self._proxy_port:
            self.stop()
            raise RuntimeError("the proxy in front of the store did not start")
        return self

    def stop(self):
        if self._proxy is not None:
            self._proxy.kill()
            self._proxy.wait()
            self._proxy.stdout.close()
            self._proxy = None
        super().stop()


STORES = {"s3": s3.Versitygw, "slow-s3": SlowVersitygw}
