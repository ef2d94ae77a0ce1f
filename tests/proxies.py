"""nginx and Caddy with the examples of ``deploy/``, before a gunicorn as it runs in service.

What is changed in an example is what an operator changes too: the site's ports, the files of its
certificate, and the port of gunicorn.
"""

import datetime
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests import patience
from tests.conftest import ROOT, free_port, wait_until_listening

SITE = "survey.example.org"
NGINX = """daemon off;
worker_processes 1;
user root;
pid {room}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 768; }}
http {{
    client_body_temp_path {room}/bodies;
    proxy_temp_path {room}/replies;
    include /etc/nginx/mime.types;
    gzip on;
    include {room}/site.conf;
}}
"""
CADDY_BEFORE_2_7 = "buffer_requests\n        max_buffer_size 6MB"


@dataclass
class Proxy:
    """A running proxy: where it listens, and what a visitor trusts."""

    name: str
    port: int
    plain_port: int
    trusted: ssl.SSLContext
    room: Path

    def connect(self, came_from: str = "127.0.0.1") -> ssl.SSLSocket:
        """A connection from this address, encrypted and with the site's name."""
        link = socket.create_connection(
            ("127.0.0.1", self.port), timeout=patience.SECONDS, source_address=(came_from, 0)
        )
        return self.trusted.wrap_socket(link, server_hostname=SITE)

    def ask(
        self,
        path: str,
        body: bytes | None = None,
        *,
        came_from: str = "127.0.0.1",
        **headers: str,
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """(status, headers, content) of a GET, or of a POST from one of the site's pages."""
        link = http.client.HTTPConnection(SITE)
        link.sock = self.connect(came_from)
        if body is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded"}
            headers |= {"Sec-Fetch-Site": "same-origin"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        # Who is refused by the announced length is answered before all is sent, as browsers know.
        with suppress(ssl.SSLEOFError, ConnectionError):
            link.request("GET" if body is None else "POST", path, body, named)
        reply = link.getresponse()
        content = reply.read()
        link.close()
        return reply.status, reply.headers, content


def program(name: str) -> str:
    """Where a proxy's program is. Raises RuntimeError that says what to install."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise RuntimeError(f"{name} is missing; on Debian: apt-get install {name}")
    return found


def _certificate(room: Path) -> tuple[Path, Path]:
    """A certificate for the site that it signed itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, SITE)])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(SITE)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, private = room / "fullchain.pem", room / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return pem, private


def _nginx(room: Path, upstream: int, staff: int, port: int, plain_port: int) -> list[str]:
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    text = re.sub(r"(?m)^ *listen \[::\].*\n", "", text)
    for old, new in {
        "listen 80;": f"listen 127.0.0.1:{plain_port};",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port} ssl http2;",
        f"/etc/ssl/{SITE}/": f"{room}/",
        "server 127.0.0.1:8000;": f"server 127.0.0.1:{upstream};",
        "server 127.0.0.1:8001;": f"server 127.0.0.1:{staff};",
    }.items():
        text = _changed(text, old, new)
    (room / "site.conf").write_text(text)
    (room / "nginx.conf").write_text(NGINX.format(room=room))
    return [program("nginx"), "-p", str(room), "-c", str(room / "nginx.conf"), "-e", "stderr"]


def _caddy(room: Path, upstream: int, staff: int, port: int, plain_port: int) -> list[str]:
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    own = f"admin off\n    http_port {plain_port}\n    https_port {port}\n    servers {{"
    pem = f"{SITE} {{\n    bind 127.0.0.1\n    tls {room}/fullchain.pem {room}/key.pem"
    text = _changed(text, "servers {", own)
    text = _changed(text, f"{SITE} {{", pem)
    text = _changed(text, "127.0.0.1:8000", f"127.0.0.1:{upstream}")
    text = _changed(text, "127.0.0.1:8001", f"127.0.0.1:{staff}")
    if _caddy_version() >= (2, 7):
        text = _changed(text, CADDY_BEFORE_2_7, "request_buffers 6MB")
    (room / "Caddyfile").write_text(text)
    return [program("caddy"), "run", "--config", str(room / "Caddyfile"), "--adapter", "caddyfile"]


def _changed(text: str, old: str, new: str) -> str:
    assert old in text, f"the example has no {old!r} any more"
    return text.replace(old, new)


def _caddy_version() -> tuple[int, int]:
    said = subprocess.run([program("caddy"), "version"], capture_output=True, text=True, check=True)
    found = re.search(r"(\d+)\.(\d+)", said.stdout)
    assert found, said.stdout
    return int(found[1]), int(found[2])


COMMANDS = {"nginx": _nginx, "caddy": _caddy}


@contextmanager
def proxied(name: str, room: Path, upstream: int, staff: int | None = None) -> Iterator[Proxy]:
    """The proxy before a port of this machine, in a room of its own; staff may have another."""
    room.mkdir()
    pem, _ = _certificate(room)
    port, plain_port = free_port(), free_port()
    command = COMMANDS[name](room, upstream, staff or upstream, port, plain_port)
    log = room.parent / f"{name}.txt"
    homes = {"XDG_DATA_HOME": str(room), "XDG_CONFIG_HOME": str(room), "HOME": str(room)}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **homes}
        )
    try:
        wait_until_listening(process, port, log)
        yield Proxy(name, port, plain_port, ssl.create_default_context(cafile=str(pem)), room)
    finally:
        process.terminate()
        process.wait(patience.SECONDS)
