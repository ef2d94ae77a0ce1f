"""A small real SMTP server, which keeps what it accepts and refuses what a test tells it to."""

import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

ADDRESS = re.compile(rb"<([^>]*)>")


@dataclass
class Post:
    """What arrived, and what to do when a mail comes: a reply, or None to hang up."""

    port: int = 0
    mails: list[tuple[str, str]] = field(default_factory=list)
    on_recipient: Callable[[str], bytes] = lambda address: b"250 OK"
    on_mail: Callable[[str], bytes | None] = lambda address: b"250 OK"


class _Talk(socketserver.StreamRequestHandler):
    post: Post

    def handle(self) -> None:
        self._say(b"220 here")
        recipient = ""
        for line in self.rfile:
            verb = line[:4].upper()
            if verb == b"RCPT":
                recipient = ADDRESS.search(line)[1].decode()
                self._say(self.post.on_recipient(recipient))
            elif verb == b"DATA":
                self._say(b"354 go on")
                if not self._take(recipient):
                    return
            elif verb == b"QUIT":
                self._say(b"221 bye")
                return
            else:
                self._say(b"250 OK")

    def _take(self, recipient: str) -> bool:
        lines = list(iter(self.rfile.readline, b".\r\n"))
        reply = self.post.on_mail(recipient)
        if reply is None:
            return False
        if reply.startswith(b"250"):
            self.post.mails.append((recipient, b"".join(lines).decode()))
        self._say(reply)
        return True

    def _say(self, words: bytes) -> None:
        self.wfile.write(words + b"\r\n")


@contextmanager
def smtp_server() -> Iterator[Post]:
    """The server, listening on ``port`` until the block ends."""
    post = Post()
    talk = type("Talk", (_Talk,), {"post": post})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), talk) as server:
        server.daemon_threads = True
        post.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield post
        server.shutdown()
        thread.join()
