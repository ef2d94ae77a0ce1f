"""Another server in front of the real one that changes what it hands on."""

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP = ("connection", "keep-alive", "date", "server")


@dataclass
class Reply:
    """What is handed on; ``headers`` in their order, a name may stand twice."""

    path: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    behind: bytes = field(default=b"")  # behind the compressed body
    written: Callable[[bytes], bytes] = bytes  # what becomes of all that is sent

    def put(self, name: str, value: str) -> None:
        """A header in place of those of this name."""
        self.drop(name)
        self.headers.append((name, value))

    def drop(self, name: str) -> None:
        """No header of this name."""
        self.headers = [one for one in self.headers if one[0].lower() != name.lower()]


Change = Callable[[Reply], None]


@contextmanager
def tampered(url: str, change: Change) -> Iterator[str]:
    """The address of a server that hands on what ``url`` sends, changed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(url, change))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(url: str, change: Change) -> type[BaseHTTPRequestHandler]:
    behind = urlsplit(url)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reply = _fetched(behind.hostname or "", behind.port or 80, self.path)
            change(reply)
            body = gzip.compress(reply.body) + reply.behind
            reply.put("Content-Encoding", "gzip")
            reply.put("Content-Length", str(len(body)))
            lines = [f"HTTP/1.1 {reply.status} OK", *map(": ".join, reply.headers), "", ""]
            self.wfile.write(reply.written("\r\n".join(lines).encode() + body))
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Nothing."""

    return Handler


def _fetched(host: str, port: int, path: str) -> Reply:
    connection = HTTPConnection(host, port, timeout=60)
    connection.request("GET", path, headers={"Host": f"{host}:{port}"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    headers = [(name, value) for name, value in response.getheaders() if name.lower() not in HOP]
    return Reply(path, response.status, headers, body)
