"""A small HTTP/1.1 client over a raw socket: exactly one request, exactly one answer, no redirects, no retries."""

import socket
import ssl
from dataclasses import dataclass

_READ_BYTES = 65_536

# The lab's certificates are its own.
_TRUSTING = ssl.create_default_context()
_TRUSTING.check_hostname = False
_TRUSTING.verify_mode = ssl.CERT_NONE


@dataclass(frozen=True)
class Answer:
    status: int
    head: str
    body: bytes

    def field(self, name):
        """What a field says, with commas between where it is there more than once; None where it isn't."""
        lines = (line.partition(":") for line in self.head.split("\r\n")[1:])
        values = [value.strip() for field, _, value in lines if field.lower() == name.lower()]
        return ", ".join(values) if values else None


class Connection:
    """One keep-alive connection to 127.0.0.1; any departure from what HTTP/1.1 promises raises OSError."""

    def __init__(self, port, timeout_s=5.0, encrypted=False):
        self._port = port
        self._socket = socket.create_connection(("127.0.0.1", port), timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if encrypted:
            self._socket = _TRUSTING.wrap_socket(self._socket, server_hostname="localhost")
        self._pending = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def get(self, path, fields=()):
        """Sends GET, with further (name, value), returns the Answer. Only bodies with Content-Length or chunked coding are understood."""
        return self._ask(self._head("GET", path, fields))

    def post(self, path, body, fields=()):
        """Sends POST, with further (name, value), returns the Answer."""
        return self._ask(self._head("POST", path, [("Content-Length", len(body)), *fields]) + body)

    def _head(self, method, path, fields):
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{lines}\r\n".encode()

    def _ask(self, request):
        self._socket.sendall(request)
        head = self._until(b"\r\n\r\n").decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        if "content-length" in fields:
            body = self._exactly(int(fields["content-length"]))
        elif fields.get("transfer-encoding") == "chunked":
            body = self._chunks()
        else:
            raise OSError(f"an answer without length: {head}")
        return Answer(int(head.split()[1]), head, body)

    def _chunks(self):
        body = b""
        while True:
            length = int(self._until(b"\r\n").split(b";")[0], 16)
            if length == 0:
                self._until(b"\r\n")
                return body
            body += self._exactly(length)
            self._exactly(2)

    def _until(self, mark):
        while mark not in self._pending:
            self._more()
        part, _, self._pending = self._pending.partition(mark)
        return part

    def _exactly(self, length):
        while len(self._pending) < length:
            self._more()
        part, self._pending = self._pending[:length], self._pending[length:]
        return part

    def _more(self):
        chunk = self._socket.recv(_READ_BYTES)
        if not chunk:
            raise OSError("the connection was closed before the answer's end")
        self._pending += chunk


def answers(port, path, encrypted=False):
    """Whether a GET on a new connection is answered with 200."""
    try:
        with Connection(port, encrypted=encrypted) as connection:
            return connection.get(path).status == 200
    except (OSError, ValueError, IndexError):
        return False
