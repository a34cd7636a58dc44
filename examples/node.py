"""Nodes to try the examples with: python3 node.py [--tls] 9001 9002 9003. Each answers a request with its port and what it was sent.

With --tls they show the certificate for localhost that make-certificates.sh makes.
"""

import pathlib
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Node(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = f"{self.server.server_port} {self.requestline}\n{self.headers}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = answer


ports = [word for word in sys.argv[1:] if word != "--tls"]
for port in ports:
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Node)
    if "--tls" in sys.argv:
        certificates = pathlib.Path(__file__).parent / "certificates"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "localhost.crt", certificates / "localhost.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever).start()
