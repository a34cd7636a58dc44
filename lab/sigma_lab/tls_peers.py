"""Who ends TLS in front of the upstream: nothing is rewritten, keep-alive without limits on both sides, one thread each."""

import re
import subprocess
from pathlib import Path

from .bench import LabError
from .nginx import CONNECTIONS_MAX, NODE_CONNECTIONS_MAX, Nginx
from .peers import HAProxy, PlainEnvoy, connection_settings, typed
from .programs import Place, find_program, first_line
from .sigma import TRANSPORTS, DefaultSigma, Sigma, plain, sigma_json

KINDS = {
    "ECDSA": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "RSA": ["rsa:2048"],
}


class Certificate:
    """One of the lab's own, with its key; `both` is a file that holds the two."""

    def __init__(self, folder, kind):
        self.kind = kind
        self.chain, self.key, self.both = (Path(folder) / f"{kind}.{end}" for end in ("crt", "key", "pem"))
        command = ["openssl", "req", "-x509", "-newkey", *KINDS[kind], "-nodes", "-days", "30", "-subj", "/CN=localhost"]
        command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.key, "-out", self.chain]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if result.returncode:
            raise LabError(f"openssl req: {result.stderr.decode(errors='replace')}")
        self.both.write_text(self.chain.read_text() + self.key.read_text())


class Encrypted:
    """Before another one's class: the same with TLS, which `start` tells of."""

    def start(self, *arguments, **more):
        place = super().start(*arguments, **more)
        place.encrypted = True
        return place


class SecureNginx(Encrypted, Nginx):
    listening = "ssl backlog=4096"
    path = "/"
    target = "http://up"

    def __init__(self, certificate):
        files = f"ssl_certificate {certificate.chain}; ssl_certificate_key {certificate.key};"
        self.settings = f"{files} ssl_protocols TLSv1.2 TLSv1.3;"


class SecureHAProxy(Encrypted, HAProxy):
    rule = ""

    def __init__(self, certificate):
        self.listening = f"backlog 4096 ssl crt {certificate.both} ssl-min-ver TLSv1.2"


class SecureEnvoy(Encrypted, PlainEnvoy):
    def __init__(self, certificate):
        self.certificate = certificate

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        # Else it waits for the client's end before its own.
        connection_settings(config)["delayed_close_timeout"] = "0s"
        pair = {
            "certificate_chain": {"filename": str(self.certificate.chain)},
            "private_key": {"filename": str(self.certificate.key)},
        }
        versions = {"tls_minimum_protocol_version": "TLSv1_2", "tls_maximum_protocol_version": "TLSv1_3"}
        context = {"tls_certificates": [pair], "tls_params": versions}
        name = "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"
        config["static_resources"]["listeners"][0]["filter_chains"][0]["transport_socket"] = {
            "name": "envoy.transport_sockets.tls",
            "typed_config": typed(name, common_tls_context=context),
        }
        return config


class Nghttpx:
    """With TLS, or without where there is no certificate."""

    name = "nghttpx"
    # What it adds to the upstream's address.
    node = ""

    def __init__(self, certificate=None):
        self.certificate = certificate

    def version_key(self):
        return self.name

    def missing(self):
        return None if find_program("nghttpx") else "nghttpx is not installed (Debian package nghttp2-proxy)"

    def version(self):
        return first_line(["nghttpx", "--version"])

    def start(self, bench, upstream_port, _access_log=False):
        port = bench.free_port()
        listening = f"127.0.0.1,{port}" + ("" if self.certificate else ";no-tls")
        command = [find_program("nghttpx"), f"--frontend={listening}", f"--backend=127.0.0.1,{upstream_port}{self.node}", "--workers=1"]
        command += ["--conf=/dev/null", "--accesslog-file=/dev/null", "--errorlog-file=/dev/stderr", "--log-level=ERROR"]
        command += ["--frontend-keep-alive-timeout=3600", "--backend-keep-alive-timeout=3600", "--backlog=4096"]
        command += [f"--backend-connections-per-host={NODE_CONNECTIONS_MAX}", "--tls-min-proto-version=TLSv1.2"]
        command += ["--tls-no-postpone-early-data", "--rlimit-nofile=20000"]
        if self.certificate:
            command += [self.certificate.key, self.certificate.chain]
        return Place(self.name, port, bench.start(f"nghttpx-{port}", command, bench.proxy_core), encrypted=bool(self.certificate))


class H2o:
    """With TLS, or without where there is no certificate."""

    name = "h2o"

    def __init__(self, certificate=None):
        self.certificate = certificate

    def version_key(self):
        return self.name

    def missing(self):
        return None if find_program("h2o") else "h2o is not installed (Debian package h2o)"

    def version(self):
        found = re.search(r"version ([\d.]+)", first_line(["h2o", "--version"]))
        return f"h2o/{found.group(1)}" if found else "h2o"

    def start(self, bench, upstream_port, _access_log=False):
        port = bench.free_port()
        path = bench.folder / f"h2o-{port}.conf"
        path.write_text(f"""
num-threads: 1
max-connections: {CONNECTIONS_MAX}
http1-request-timeout: 3600
proxy.timeout.keepalive: 3600000
proxy.timeout.io: 60000
listen:
  host: 127.0.0.1
  port: {port}
{self._ssl()}
hosts:
  default:
    paths:
      "/":
        proxy.reverse.url: "http://127.0.0.1:{upstream_port}/"
""")
        command = [find_program("h2o"), "-m", "worker", "-c", path]
        return Place(self.name, port, bench.start(f"h2o-{port}", command, bench.proxy_core), encrypted=bool(self.certificate))

    def _ssl(self):
        if not self.certificate:
            return ""
        return f"""  ssl:
    certificate-file: {self.certificate.chain}
    key-file: {self.certificate.key}
    minimum-version: TLSv1.2
    neverbleed: OFF"""


def _secure(config, certificate):
    """The same sigma.json with its server encrypted and nothing rewritten."""
    server = {"ssl": {"certPath": str(certificate.chain), "keyPath": str(certificate.key)}}
    config["proxy-server"] = {"https": {**config["proxy-server"]["http"], **server}}
    return plain(config)


class SecureSigma(Encrypted, Sigma):
    def __init__(self, certificate, transport, launcher):
        super().__init__(transport, launcher)
        self.certificate = certificate

    def config(self, port, upstream_port, access_log):
        return _secure(sigma_json(port, upstream_port, self.transport, access_log), self.certificate)

class SecureDefaultSigma(Encrypted, DefaultSigma):
    def __init__(self, certificate, transport, launcher):
        super().__init__(transport, launcher, "Sigma defaults")
        self.certificate = certificate

    def config(self, port, upstream_port, access_log):
        return _secure(super().config(port, upstream_port, access_log), self.certificate)

def secure_proxies(certificate, launcher):
    """All that take part, nginx first, with that certificate."""
    peers = [kind(certificate) for kind in (SecureNginx, SecureHAProxy, SecureEnvoy, Nghttpx, H2o)]
    sigmas = [kind(certificate, transport, launcher) for kind in (SecureSigma, SecureDefaultSigma) for transport in TRANSPORTS]
    return [*peers, *sigmas]
