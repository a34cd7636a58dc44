"""Proxies in front of several nodes, as a careful operator sets them up; and Sigma with nothing set."""

from .nginx import CONNECTIONS_MAX, Nginx, nginx_config, start_nginx
from .peers import Envoy, HAProxy, address, typed
from .programs import Place, find_program
from .sigma import DefaultSigma

CHECK_PATH = "/health"
CONNECT_S = 2
POOL_PER_NODE = 256


class ClusterNginx(Nginx):
    """Its own defaults for failing nodes: set aside for 10 s after one failure, and errors and timeouts tried elsewhere."""

    about = f"connections kept, `proxy_connect_timeout {CONNECT_S}s`; else defaults: `max_fails=1 fail_timeout=10s`, `proxy_next_upstream error timeout`"

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        folder = bench.folder / f"nginx-{port}"
        folder.mkdir()
        servers = "".join(f"        server 127.0.0.1:{node};\n" for node in upstream_port)
        server = f"""
    upstream up {{
{servers}        keepalive {POOL_PER_NODE};
    }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        client_max_body_size 0;
        location / {{
            proxy_pass http://up;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_connect_timeout {CONNECT_S}s;
            proxy_max_temp_file_size 0;
        }}
    }}"""
        config = nginx_config(server, connections=2 * CONNECTIONS_MAX, access_log="off")
        return Place(self.name, port, start_nginx(bench, f"nginx-{port}", folder, config, bench.proxy_core))


class ClusterHAProxy(HAProxy):
    """A check each second; one failure takes a node out, and ends what still waits for it."""

    about = (
        f"`option httpchk`, `check inter 1s fall 1 rise 2 on-marked-down shutdown-sessions`, `option redispatch 1`, `retries 3`, `timeout connect {CONNECT_S}s`"
    )

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        path = bench.folder / f"haproxy-{port}.cfg"
        servers = "".join(f"    server n{number} 127.0.0.1:{node}\n" for number, node in enumerate(upstream_port, 1))
        path.write_text(f"""
global
    nbthread 1
    maxconn {CONNECTIONS_MAX}
    no strict-limits
defaults
    mode http
    option http-keep-alive
    http-reuse safe
    retries 3
    option redispatch 1
    timeout connect {CONNECT_S}s
    timeout client 1h
    timeout http-keep-alive 1h
    timeout server 60s
    timeout queue 60s
frontend lab
    bind 127.0.0.1:{port} backlog 4096
    default_backend up
backend up
    balance roundrobin
    option httpchk GET {CHECK_PATH}
    http-check expect status 200
    default-server check inter 1s fall 1 rise 2 on-marked-down shutdown-sessions
{servers}""")
        started = bench.start(f"haproxy-{port}", [find_program("haproxy"), "-db", "-f", path], bench.proxy_core)
        return Place(self.name, port, started)


class ClusterEnvoy(Envoy):
    """Outlier detection, and GETs tried twice more, elsewhere, each for 2 s at most."""

    about = (
        "outlier detection (`consecutive_5xx` and `consecutive_gateway_failure` 5, `interval` 1s, `max_ejection_percent` 50, else defaults); GETs `retry_on: "
        f"5xx,reset`, 2 retries on other hosts, `per_try_timeout` 2s; POSTs `connect-failure`; retry budget 20 % and at least 50 at once; `connect_timeout` {CONNECT_S}s"
    )

    def config(self, port, upstream_port, access_log):
        elsewhere = [
            {
                "name": "envoy.retry_host_predicates.previous_hosts",
                "typed_config": typed("envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate"),
            }
        ]
        often = {"num_retries": 2, "retry_host_predicate": elsewhere, "host_selection_retry_max_attempts": 5}
        safely = {"retry_on": "5xx,reset,connect-failure,refused-stream", "per_try_timeout": "2s", **often}
        unsent = {"retry_on": "connect-failure,refused-stream", **often}
        gets = {"prefix": "/", "headers": [{"name": ":method", "string_match": {"exact": "GET"}}]}
        routes = [
            {"match": gets, "route": {"cluster": "up", "timeout": "60s", "retry_policy": safely}},
            {"match": {"prefix": "/"}, "route": {"cluster": "up", "timeout": "60s", "retry_policy": unsent}},
        ]
        config = super().config(port, upstream_port[0], access_log)
        resources = config["static_resources"]
        manager = resources["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
        manager["route_config"]["virtual_hosts"][0]["routes"] = routes
        cluster = resources["clusters"][0]
        cluster["connect_timeout"] = f"{CONNECT_S}s"
        cluster["circuit_breakers"] = {
            "thresholds": [{"retry_budget": {"budget_percent": {"value": 20}, "min_retry_concurrency": 50}}]
        }
        cluster["outlier_detection"] = {
            "consecutive_5xx": 5,
            "consecutive_gateway_failure": 5,
            "enforcing_consecutive_gateway_failure": 100,
            "interval": "1s",
            "max_ejection_percent": 50,
        }
        nodes = [{"endpoint": {"address": address(node)}} for node in upstream_port]
        cluster["load_assignment"]["endpoints"] = [{"lb_endpoints": nodes}]
        return config


class ClusterSigma(DefaultSigma):
    """Nothing set but a route and an upstream with its nodes."""

    about = "nothing set but a route and an upstream of four nodes"

    def __init__(self, transport=None, launcher=None, strategy=None):
        super().__init__(transport, launcher)
        self.strategy = strategy
        if strategy:
            self.name = f"{self.name} {' '.join(strategy.split('-'))}"
            self.about = f"as Sigma, with `rule-strategy` {strategy}"

    def config(self, port, upstream_port, access_log):
        upstream = {"id": "up", "nodes": [f"http://127.0.0.1:{node}" for node in upstream_port]}
        if self.strategy:
            upstream["rule-strategy"] = self.strategy
        config = {
            "proxy-server": {"http": {"id": "lab", "host": "127.0.0.1", "port": port}},
            "router": [
                {"id": "lab", "proxy-server-id": "lab", "route": [{"id": "all", "path": "/*", "proxy-pass-id": "up"}]}
            ],
            "proxy-pass": [{"id": "up", "upstream-id": "up"}],
            "upstream": [upstream],
        }
        return self.with_transport(config)


def entrants(launcher=None):
    """Those that take part where nothing is said, and those that are there to be named."""
    usual = [ClusterNginx(), ClusterHAProxy(), ClusterEnvoy(), ClusterSigma(launcher=launcher)]
    named = [ClusterSigma(transport, launcher) for transport in ("epoll", "io_uring")]
    return usual, [*named, ClusterSigma(launcher=launcher, strategy="p2c"), ClusterSigma(launcher=launcher, strategy="least-connections")]
