"""Many reloads under load: requests that fail, WebSockets that are lost, latencies, memory and CPU; each reload has another route and other weights."""

import json
import os
import signal
import subprocess
import time
from statistics import median
from types import SimpleNamespace

from . import load, machine, procfs
from .bench import Bench, LabError
from .client import answers
from .field import Field, require_programs, wanted
from .gateway_peers import Caddy
from .nginx import CONNECTIONS_MAX, Nginx, nginx_config, start_nginx
from .peers import Envoy, HAProxy, address, connection_settings, typed
from .programs import Place, find_program
from .results import output_folder
from .sheet import write_sheet
from .sigma import DefaultSigma
from .soaked import replace
from .traffic import NS_PER_S, Cluster, EchoNode, Load, Node, Talk, build, share

CLIENTS, EVERY_MS, PATIENCE_S = 40, 10, 5
WARM_S, WARM_CONNECTIONS = 8, 64
LEAD_S = 0.3
PAUSE_S = 0.1
EFFECT_S = 5
MESSAGE_PAUSE_S = 1
POLL_S = 0.002
P99_TIMES_MAX = 2.0
# What is less is nothing on a machine whose cores others use too.
P99_MS_MIN = 5.0
QUICK = SimpleNamespace(reloads=5, websockets=20, rounds=1)


class ReloadedNginx(Nginx):
    """SIGHUP: new workers; the old ones stay until their last connection has ended."""

    def start(self, bench, upstream_port, access_log=False):
        self.port = bench.free_port()
        self.nodes = upstream_port
        self.folder = bench.folder / f"nginx-{self.port}"
        self.folder.mkdir()
        return Place(self.name, self.port, start_nginx(bench, f"nginx-{self.port}", self.folder, self._config(0), bench.proxy_core))

    def reload(self, place, number):
        replace(self.folder / "nginx.conf", self._config(number))
        os.kill(place.pid, signal.SIGHUP)

    def _config(self, number):
        one, two, echo = self.nodes
        passing = 'proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection "";'
        server = f"""
    upstream up {{
        server 127.0.0.1:{one};
        server 127.0.0.1:{two} weight={1 + number % 3};
        keepalive 64;
    }}
    server {{
        listen 127.0.0.1:{self.port} backlog=4096;
        location = /load {{ {passing} }}
        location = /n{number} {{ {passing} }}
        location = /echo {{
            proxy_pass http://127.0.0.1:{echo};
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_read_timeout 1h;
        }}
        location / {{ return 404; }}
    }}"""
        return nginx_config(server, connections=2 * CONNECTIONS_MAX, access_log="off")


class ReloadedHAProxy(HAProxy):
    """SIGUSR2 to the master: a new worker, which gets the sockets; the old one stays until its last connection has ended."""

    def start(self, bench, upstream_port, access_log=False):
        self.port = bench.free_port()
        self.nodes = upstream_port
        self.path = bench.folder / f"haproxy-{self.port}.cfg"
        self.path.write_text(self._config(0))
        command = [find_program("haproxy"), "-W", "-db", "-f", self.path]
        return Place(self.name, self.port, bench.start(f"haproxy-{self.port}", command, bench.proxy_core))

    def reload(self, place, number):
        replace(self.path, self._config(number))
        os.kill(place.pid, signal.SIGUSR2)

    def _config(self, number):
        one, two, echo = self.nodes
        return f"""
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
    timeout connect 2s
    timeout client 1h
    timeout http-keep-alive 1h
    timeout server 60s
    timeout tunnel 1h
frontend lab
    bind 127.0.0.1:{self.port} backlog 4096
    use_backend echo if {{ path /echo }}
    use_backend up if {{ path /load /n{number} }}
    http-request deny deny_status 404 unless {{ path /echo /load /n{number} }}
backend up
    balance roundrobin
    server one 127.0.0.1:{one}
    server two 127.0.0.1:{two} weight {1 + number % 3}
backend echo
    server echo 127.0.0.1:{echo}
"""


class ReloadedEnvoy(Envoy):
    """Routes (RDS) and clusters (CDS) in files that are watched."""

    def start(self, bench, upstream_port, access_log=False):
        self.nodes = upstream_port
        port = bench.free_port()
        self.folder = bench.folder / f"envoy-xds-{port}"
        self.folder.mkdir()
        self._write(0)
        path = bench.folder / f"envoy-{port}.json"
        path.write_text(json.dumps(self._bootstrap(port), indent=1))
        command = [find_program("envoy"), "-c", path, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"]
        return Place(self.name, port, bench.start(f"envoy-{port}", command, bench.proxy_core))

    def reload(self, place, number):
        self._write(number)

    def _bootstrap(self, port):
        config = self.config(port, self.nodes[0], None)
        settings = connection_settings(config)
        del settings["route_config"]
        settings["rds"] = {"route_config_name": "lab", "config_source": self._source("routes")}
        settings["upgrade_configs"] = [{"upgrade_type": "websocket"}]
        del config["static_resources"]["clusters"]
        config["dynamic_resources"] = {"cds_config": self._source("clusters")}
        config["node"] = {"id": "lab", "cluster": "lab"}
        return config

    def _source(self, what):
        return {"resource_api_version": "V3", "path_config_source": {"path": str(self.folder / f"{what}.json")}}

    def _write(self, number):
        one, two, echo = self.nodes
        routes = [
            {"match": {"path": "/load"}, "route": {"cluster": "up"}},
            {"match": {"path": f"/n{number}"}, "route": {"cluster": "up"}},
            {"match": {"path": "/echo"}, "route": {"cluster": "echo", "timeout": "0s"}},
        ]
        table = typed("envoy.config.route.v3.RouteConfiguration", virtual_hosts=[])
        table["name"] = "lab"
        table["virtual_hosts"] = [{"name": "lab", "domains": ["*"], "routes": routes}]
        clusters = [self._cluster("up", [(one, 1), (two, 1 + number % 3)]), self._cluster("echo", [(echo, 1)])]
        for what, resources in (("clusters", clusters), ("routes", [table])):
            text = json.dumps({"version_info": str(number), "resources": resources})
            replace(self.folder / f"{what}.json", text)

    @staticmethod
    def _cluster(name, nodes):
        ends = [{"endpoint": {"address": address(port)}, "load_balancing_weight": weight} for port, weight in nodes]
        cluster = typed("envoy.config.cluster.v3.Cluster", type="STATIC", connect_timeout="2s")
        cluster["name"] = name
        cluster["load_assignment"] = {"cluster_name": name, "endpoints": [{"lb_endpoints": ends}]}
        return cluster


class ReloadedCaddy(Caddy):
    """`caddy reload`, by its admin port, from the load's core; WebSockets stay, which by default it would close at each."""

    def start(self, bench, upstream_port, access_log=False):
        self.port, self.admin = bench.free_port(), bench.free_port()
        self.nodes = upstream_port
        self.path = bench.folder / f"caddy-{self.port}.json"
        self.path.write_text(self._config(0))
        # Nothing of the user's is read or written.
        self.env = {"XDG_DATA_HOME": str(bench.folder), "XDG_CONFIG_HOME": str(bench.folder)}
        started = bench.start(f"caddy-{self.port}", [self.program(), "run", "--config", self.path], bench.proxy_core, self.env)
        return Place(self.name, self.port, started)

    def reload(self, place, number):
        replace(self.path, self._config(number))
        command = [self.program(), "reload", "--config", str(self.path), "--address", f"127.0.0.1:{self.admin}"]
        result = subprocess.run(
            command, env={**os.environ, **self.env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
        )
        if result.returncode:
            raise LabError(f"caddy reload ended with {result.returncode}\n{result.stdout.decode(errors='replace')}")

    def _config(self, number):
        one, two, echo = self.nodes

        def route(paths, *ports, **more):
            proxy = {"handler": "reverse_proxy", "upstreams": [{"dial": f"127.0.0.1:{port}"} for port in ports], **more}
            return {"match": [{"path": paths}], "handle": [proxy], "terminal": True}

        weighted = {"selection_policy": {"policy": "weighted_round_robin", "weights": [1, 1 + number % 3]}}
        routes = [
            route(["/load", f"/n{number}"], one, two, load_balancing=weighted),
            route(["/echo"], echo, stream_close_delay="1h"),
            {"handle": [{"handler": "static_response", "status_code": 404}]},
        ]
        server = {"listen": [f"127.0.0.1:{self.port}"], "automatic_https": {"disable": True}, "routes": routes}
        config = {
            "admin": {"listen": f"127.0.0.1:{self.admin}", "config": {"persist": False}},
            "logging": {"logs": {"default": {"level": "ERROR"}}},
            "apps": {"http": {"servers": {"lab": server}}},
        }
        return json.dumps(config, indent=1)


class ReloadedSigma(DefaultSigma):
    """SIGHUP."""

    def start(self, bench, upstream_port, access_log=False, java_options=""):
        self.number = 0
        place = super().start(bench, upstream_port, access_log, java_options)
        self.path = bench.folder / f"sigma-{self.transport}-{place.port}.json"
        self.port, self.nodes = place.port, upstream_port
        return place

    def reload(self, place, number):
        self.number = number
        replace(self.path, json.dumps(self.config(self.port, self.nodes, None), indent=1))
        os.kill(place.pid, signal.SIGHUP)

    def config(self, port, upstream_port, access_log):
        one, two, echo = upstream_port
        routes = [("load", "/load", "up"), ("new", f"/n{self.number}", "up"), ("echo", "/echo", "echo")]
        second = {"url": f"http://127.0.0.1:{two}", "weight": 1 + self.number % 3}
        config = {
            "proxy-server": {"http": {"id": "lab", "host": "127.0.0.1", "port": port}},
            "router": [
                {
                    "id": "lab",
                    "proxy-server-id": "lab",
                    "route": [{"id": name, "path": path, "proxy-pass-id": target} for name, path, target in routes],
                }
            ],
            "proxy-pass": [{"id": name, "upstream-id": name} for name in ("up", "echo")],
            "upstream": [
                {"id": "up", "nodes": [{"url": f"http://127.0.0.1:{one}"}, second]},
                {"id": "echo", "nodes": [f"http://127.0.0.1:{echo}"]},
            ],
        }
        return self.with_transport(config)


def reload(options):
    """Runs the experiment and writes reload.json and .md; returns the exit code."""
    require_programs("taskset", "wrk")
    build()
    plan = QUICK if options.quick else options
    options.out = output_folder(options)
    proxies = [ReloadedNginx(), ReloadedHAProxy(), ReloadedEnvoy(), ReloadedCaddy(), ReloadedSigma(launcher=options.sigma)]
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options, wanted(proxies, options.only), Cluster([]))
        found = field.rounds(plan.rounds, lambda bench, proxy: _measured(bench, proxy, plan), _line)
        intro = [
            f"{plan.reloads} reloads, each when the one before has taken effect and {PAUSE_S} s have passed; every one has a route that the one before had not, and another weight of a node. Meanwhile",
            f"{CLIENTS} clients GET a small answer, each every {EVERY_MS} ms on a connection of its own, and {plan.websockets} WebSockets that were open before send a message a second, which comes back.",
            "Failed is whatever isn't 200 with the right body; lost are WebSockets that were closed, or whose message didn't come back. Effect: from asking for the reload to the first answer",
            "by its new route on a new connection. Alone: the same load before, as long, without reloads. CPU: of the proxy's core, with all that ran there. RSS and processes:",
            f"after the last reload, the WebSockets still open; before, in parentheses. Rounds: {plan.rounds}; failures, RSS and processes are those of the worst, all else medians.",
        ]
        columns = [
            "proxy", "failed", "lost", "p50 alone, ms", "beside", "p99 alone, ms", "beside", "effect, ms", "most", "CPU s alone", "beside", "RSS MiB", "processes",
        ]  # fmt: skip
        rows = [_row(name, runs) for name, runs in found.items()]
        title = f"{plan.reloads} reloads beside {plan.websockets} WebSockets"
        return write_sheet("reload", "Reload", intro, field, facts, [(title, columns, rows)], _bounds(found), options)


def _measured(bench, proxy, plan):
    nodes = [Node(bench, name) for name in ("one", "two")]
    echo = EchoNode(bench)
    place = talk = None
    try:
        for node in nodes:
            node.start()
        place = proxy.start(bench, [*(node.port for node in nodes), echo.place.port])
        bench.await_true(place.started, lambda: answers(place.port, "/load"), "answering with 200")
        load.wrk(bench, place.url("/load"), WARM_CONNECTIONS, WARM_S)
        # Reloads have code of their own to warm up.
        _reloads(bench, proxy, place, range(1, 4))
        seconds = max(3, int(plan.reloads * (PAUSE_S + 0.05)) + 1)
        talk = Talk(bench, place.port, plan.websockets, flight=1, seconds=40 * seconds, pause_s=MESSAGE_PAUSE_S)
        said = talk.await_all()
        if said["failed"] or said["open"] < plan.websockets:
            raise LabError(f"{said['open']} of {plan.websockets} WebSockets open: {said['failed']}")
        alone = _loaded(bench, place, seconds, lambda: [])
        before = _size(place)
        beside = _loaded(bench, place, seconds, lambda: _reloads(bench, proxy, place, range(4, 4 + plan.reloads)))
        after = _size(place)
        lost = sum(talk.end()["failed"].values())
        return {"alone": alone, "beside": beside, "lost": lost, "before": before, "after": after}
    finally:
        if talk:
            talk.stop()
        if place:
            bench.stop(place.started)
        for node in nodes:
            if node.started:
                bench.stop(node.started)
        bench.stop(echo.place.started)


def _loaded(bench, place, seconds, meanwhile):
    """The load, and what is done meanwhile; the load is as long as that takes at least."""
    start_ns = time.monotonic_ns() + int(LEAD_S * NS_PER_S)
    busy = procfs.core_busy_us(bench.proxy_core)
    began = time.monotonic()
    requests = Load(bench, place.port, start_ns=start_ns, seconds=seconds, patience_s=PATIENCE_S, clients=CLIENTS, every_ms=EVERY_MS)
    effects = meanwhile()
    took = time.monotonic() - began
    found = requests.finish()
    right = sorted(request.latency_us for request in found if request.is_right)
    outcomes = {}
    for request in found:
        if not request.is_right:
            outcomes[request.outcome] = outcomes.get(request.outcome, 0) + 1
    return {
        "asked": len(found),
        "failed": len(found) - len(right),
        "outcomes": outcomes,
        "p50_us": share(right, 0.5),
        "p99_us": share(right, 0.99),
        "cpu_us": procfs.core_busy_us(bench.proxy_core) - busy,
        "reloads_s": took,
        "effects_ms": effects,
    }


def _reloads(bench, proxy, place, numbers):
    """One after the other; how long each took to take effect, in ms."""
    effects = []
    for number in numbers:
        path = f"/n{number}"
        asked = time.monotonic()
        proxy.reload(place, number)
        while not answers(place.port, path):
            if time.monotonic() - asked > EFFECT_S:
                raise LabError(f"reload {number} has no effect after {EFFECT_S} s\n{place.started.log_tail()}")
            time.sleep(POLL_S)
        effects.append((time.monotonic() - asked) * 1000)
        time.sleep(PAUSE_S)
    return effects


def _size(place):
    return {"rss_kib": procfs.resident_kib(place.pid), "processes": len(procfs.tree(place.pid))}


def _line(run):
    beside = run["beside"]
    return (
        f"failed {beside['failed']} of {beside['asked']} {beside['outcomes']}, lost {run['lost']}, p99 {_ms(run['alone']['p99_us']):.2f} to {_ms(beside['p99_us']):.2f} ms,"
        f" CPU {run['alone']['cpu_us'] / 1e6:.1f} to {beside['cpu_us'] / 1e6:.1f} s, effect {median(beside['effects_ms']):.0f} ms, RSS {run['after']['rss_kib'] >> 10} MiB,"
        f" {run['after']['processes']} processes"
    )


def _ms(microseconds):
    return (microseconds or 0) / 1000


def _row(name, runs):
    def of(part, key):
        return median((run[part][key] or 0) for run in runs)

    worst = {part: max(run[part]["rss_kib"] for run in runs) >> 10 for part in ("before", "after")}
    processes = {part: max(run[part]["processes"] for run in runs) for part in ("before", "after")}
    return [
        name,
        f"{max(run['beside']['failed'] for run in runs)} of {max(run['beside']['asked'] for run in runs):,}",
        f"{max(run['lost'] for run in runs)}",
        *(f"{_ms(of(part, key)):.2f}" for key in ("p50_us", "p99_us") for part in ("alone", "beside")),
        f"{median(median(run['beside']['effects_ms']) for run in runs):.0f}",
        f"{max(max(run['beside']['effects_ms']) for run in runs):.0f}",
        *(f"{of(part, 'cpu_us') / 1e6:.2f}" for part in ("alone", "beside")),
        f"{worst['after']} ({worst['before']})",
        f"{processes['after']} ({processes['before']})",
    ]


def _bounds(found):
    """Sigma: nothing fails, nothing is lost, and no peer's reloads cost less."""
    rows = []
    extra = {name: median(run["beside"]["cpu_us"] - run["alone"]["cpu_us"] for run in runs) / 1e6 for name, runs in found.items()}
    peers = {name: value for name, value in extra.items() if not name.startswith("Sigma")}
    for name, runs in found.items():
        if not name.startswith("Sigma"):
            continue
        failed = max(run["beside"]["failed"] for run in runs)
        lost = max(run["lost"] for run in runs)
        rows.append((f"requests that failed ({name})", str(failed), "0", failed == 0))
        rows.append((f"WebSockets lost ({name})", str(lost), "0", lost == 0))
        alone = median(_ms(run["alone"]["p99_us"]) for run in runs)
        beside = median(_ms(run["beside"]["p99_us"]) for run in runs)
        most = max(P99_MS_MIN, P99_TIMES_MAX * alone)
        rows.append((f"p99 beside reloads, twice that without or {P99_MS_MIN:g} ms ({name})", f"{beside:.2f} ms", f"<= {most:.2f} ms", beside <= most))
        if peers:
            best = min(peers, key=peers.get)
            rows.append((f"CPU of the reloads ({name}), {best}'s", f"{extra[name]:.2f} s", f"<= {peers[best]:.2f} s", extra[name] <= peers[best]))
    return rows
