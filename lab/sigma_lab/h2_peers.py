"""Who speaks HTTP/2 with clients, over TLS or without it by prior knowledge: nothing is rewritten, keep-alive without limits, one thread each."""

from pathlib import Path
from typing import NamedTuple

from .nginx import Nginx
from .peers import HAProxy, PlainEnvoy, connection_settings
from .programs import Place, find_program
from .sigma import TRANSPORTS, Sigma, plain, sigma_json
from .tls_peers import H2o, Nghttpx, SecureEnvoy, SecureHAProxy, SecureNginx, SecureSigma

GRPC_PATH = "/answer.grpc"
GRPC_MESSAGE_BYTES = 100
# Not compressed, its length, itself.
GRPC_BODY = bytes([0]) + GRPC_MESSAGE_BYTES.to_bytes(4, "big") + bytes(range(GRPC_MESSAGE_BYTES))
# Why some don't take part where nodes speak HTTP/2.
NO_H2_TO_NODES = {
    "nginx": "speaks HTTP/2 to nodes for gRPC only",
    "h2o": "this version speaks HTTP/1.1 to nodes",
}


class Posted(NamedTuple):
    """What a request has for a body, and which fields."""

    file: Path
    fields: tuple


class GrpcNode:
    """nghttpd on the load's core, with HTTP/2 without TLS: answers each request with a message and a trailer `grpc-status: 0`."""

    def __init__(self, bench):
        port = bench.free_port()
        folder = bench.folder / "grpc"
        folder.mkdir()
        (folder / GRPC_PATH[1:]).write_bytes(GRPC_BODY)
        types = bench.folder / "grpc.types"
        types.write_text("application/grpc grpc\n")
        request = bench.folder / "grpc.request"
        request.write_bytes(GRPC_BODY)
        self.posted = Posted(request, ("content-type: application/grpc", "te: trailers"))
        command = [find_program("nghttpd"), "--no-tls", "--address=127.0.0.1", f"--htdocs={folder}", f"--mime-types-file={types}"]
        command += ["--no-content-length", "--trailer=grpc-status: 0", port]
        self.place = Place("direct", port, bench.start("grpc", command, bench.load_core))


class CleartextNginx(Nginx):
    listening = "http2 backlog=4096"
    path = "/"
    target = "http://up"


class H2Nginx(SecureNginx):
    listening = "ssl http2 backlog=4096"


class GrpcNginx(CleartextNginx):
    def passing(self):
        return """
            grpc_pass grpc://up;"""


class CleartextHAProxy(HAProxy):
    """Sees by the first bytes that a client speaks HTTP/2."""

    rule = ""


class H2HAProxy(SecureHAProxy):
    def __init__(self, certificate):
        super().__init__(certificate)
        self.listening += " alpn h2,http/1.1"


class NodesHAProxy(CleartextHAProxy):
    server = "proto h2"
    # It counts streams as connections.
    node_connections_max = 0


class CleartextEnvoy(PlainEnvoy):
    """Sees by the first bytes what a client speaks."""

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        connection_settings(config)["codec_type"] = "AUTO"
        return config


class H2Envoy(SecureEnvoy):
    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        connection_settings(config)["codec_type"] = "AUTO"
        chain = config["static_resources"]["listeners"][0]["filter_chains"][0]
        chain["transport_socket"]["typed_config"]["common_tls_context"]["alpn_protocols"] = ["h2", "http/1.1"]
        return config


class NodesEnvoy(CleartextEnvoy):
    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        (protocol,) = config["static_resources"]["clusters"][0]["typed_extension_protocol_options"].values()
        protocol["explicit_http_config"] = {"http2_protocol_options": {}}
        return config


class NodesNghttpx(Nghttpx):
    node = ";;proto=h2"


class CleartextSigma(Sigma):
    """Sees by the first bytes that a client speaks HTTP/2, as it does by default."""

    def config(self, port, upstream_port, access_log):
        return plain(sigma_json(port, upstream_port, self.transport, access_log))


class NodesSigma(CleartextSigma):
    """In front of nodes that speak HTTP/2."""

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        config["upstream"][0]["nodes"] = [f"h2c://127.0.0.1:{upstream_port}"]
        return config


def h2_proxies(certificate, launcher):
    """All that take part over TLS, nginx first."""
    peers = [kind(certificate) for kind in (H2Nginx, H2HAProxy, H2Envoy, Nghttpx, H2o)]
    return [*peers, *(SecureSigma(certificate, transport, launcher) for transport in TRANSPORTS)]


def h2c_proxies(_certificate, launcher):
    """The same without TLS."""
    peers = [kind() for kind in (CleartextNginx, CleartextHAProxy, CleartextEnvoy, Nghttpx, H2o)]
    return [*peers, *(CleartextSigma(transport, launcher) for transport in TRANSPORTS)]


def nodes_proxies(_certificate, launcher):
    """Those that speak HTTP/2 to nodes, too."""
    return [NodesHAProxy(), NodesEnvoy(), NodesNghttpx(), *(NodesSigma(transport, launcher) for transport in TRANSPORTS)]


def grpc_proxies(certificate, launcher):
    """Those that pass on gRPC."""
    return [GrpcNginx(), *nodes_proxies(certificate, launcher)]
