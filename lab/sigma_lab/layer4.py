"""Proxies as TCP proxies: bytes of one client connection on one connection to the upstream, one worker, no log; and Sigma reading Bolt."""

import json
import re
import subprocess
from pathlib import Path

from .bench import LAB_DIR, TARGET_DIR
from .built import go_built
from .nginx import CONNECTIONS_MAX, Nginx, main_config, start_nginx
from .peers import Envoy, HAProxy, address, typed
from .programs import Place, find_program, first_line
from .sigma import TRANSPORTS, Sigma

MOSN_VERSION = "1.3.0"


class TcpNginx(Nginx):
    """nginx's stream module, built in or loaded."""

    def missing(self):
        reason = super().missing()
        if reason:
            return reason
        if "--with-stream=dynamic" in self._built() and not self._module():
            return "nginx has no stream module (Debian package libnginx-mod-stream)"
        return None if "--with-stream" in self._built() else "this nginx is built without its stream module"

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        folder = bench.folder / f"nginx-{port}"
        folder.mkdir()
        module = self._module()
        config = f"""
{f"load_module {module};" if module else ""}
{main_config(CONNECTIONS_MAX)}
stream {{
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        proxy_pass 127.0.0.1:{upstream_port};
        proxy_timeout 1h;
    }}
}}
"""
        return Place(self.name, port, start_nginx(bench, f"nginx-{port}", folder, config, bench.proxy_core))

    def _built(self):
        command = [find_program("nginx"), "-V"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        return result.stdout.decode(errors="replace")

    def _module(self):
        """The file to load, where the module is one and is there."""
        folder = re.search(r"--modules-path=(\S+)", self._built())
        if "--with-stream=dynamic" not in self._built() or not folder:
            return None
        path = Path(folder.group(1)) / "ngx_stream_module.so"
        return path if path.exists() else None


class TcpHAProxy(HAProxy):
    options = ""

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        path = bench.folder / f"haproxy-{port}.cfg"
        path.write_text(f"""
global
    nbthread 1
    maxconn {CONNECTIONS_MAX}
    no strict-limits
defaults
    mode tcp
    {self.options}
    timeout connect 2s
    timeout client 1h
    timeout server 1h
listen lab
    bind 127.0.0.1:{port} backlog 4096
    server up 127.0.0.1:{upstream_port}
""")
        started = bench.start(f"haproxy-{port}", [find_program("haproxy"), "-db", "-f", path], bench.proxy_core)
        return Place(self.name, port, started)


class SplicingHAProxy(TcpHAProxy):
    """Bytes stay in the kernel."""

    name = "HAProxy splice"
    options = "option splice-auto"


class TcpEnvoy(Envoy):
    def config(self, port, upstream_port, access_log):
        passing = typed(
            "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", stat_prefix="lab", cluster="up", idle_timeout="3600s"
        )
        listener = {
            "name": "lab",
            "address": address(port),
            "enable_reuse_port": False,
            "tcp_backlog_size": 4096,
            "filter_chains": [{"filters": [{"name": "envoy.filters.network.tcp_proxy", "typed_config": passing}]}],
        }
        cluster = {
            "name": "up",
            "type": "STATIC",
            "connect_timeout": "2s",
            "circuit_breakers": {"thresholds": [{"max_connections": CONNECTIONS_MAX}]},
            "load_assignment": {
                "cluster_name": "up",
                "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(upstream_port)}}]}],
            },
        }
        return {
            "static_resources": {"listeners": [listener], "clusters": [cluster]},
            "stats_config": {"stats_matcher": {"reject_all": True}},
        }


class Mosn:
    """MOSN with its TCP proxy, built from lab/mosn with the Go that is there; only as a TCP proxy."""

    name = "MOSN"
    program = TARGET_DIR / "mosn" / "mosn"
    _reason = None

    def version_key(self):
        return self.name

    def version(self):
        return MOSN_VERSION

    def missing(self):
        go = find_program("go")
        self._reason = self._reason or go_built(self.name, LAB_DIR / "mosn", self.program, flags=_linking(go) if go else ())
        return self._reason

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        path = bench.folder / f"mosn-{port}.json"
        passing = {"type": "tcp_proxy", "config": {"cluster": "up", "routes": [{"cluster": "up"}]}}
        listener = {
            "name": "lab",
            "address": f"127.0.0.1:{port}",
            "bind_port": True,
            "log_path": "stdout",
            "filter_chains": [{"filters": [passing]}],
        }
        cluster = {
            "name": "up",
            "type": "SIMPLE",
            "lb_type": "LB_RANDOM",
            "max_request_per_conn": 1024,
            "conn_buffer_limit_bytes": 32_768,
            "hosts": [{"address": f"127.0.0.1:{upstream_port}"}],
        }
        server = {"default_log_path": "stdout", "default_log_level": "ERROR", "processor": 1, "listeners": [listener]}
        path.write_text(json.dumps({"servers": [server], "cluster_manager": {"clusters": [cluster]}}, indent=1))
        started = bench.start(f"mosn-{port}", [self.program, "start", "-c", path], bench.proxy_core)
        return Place(self.name, port, started)


def _linking(go):
    """MOSN's golang.org/x/net names functions of the runtime that linkers since Go 1.23 keep to themselves, unless told not to."""
    found = re.search(r"go1\.(\d+)", first_line([go, "version"]))
    return ["-ldflags=-checklinkname=0"] if found and int(found.group(1)) >= 23 else []


class TcpSigma(Sigma):
    """Sigma with one listener that is not HTTP: `proxy-server.tcp`, or `proxy-server.bolt` in one of its modes."""

    def __init__(self, transport, launcher=None, mode="tcp"):
        super().__init__(transport, launcher)
        self.mode = mode
        self.name = f"Sigma {transport}" if mode == "tcp" else f"Sigma {mode} {transport}"

    def config(self, port, upstream_port, access_log):
        listener = {"id": "lab", "host": "127.0.0.1", "port": port}
        scheme = "tcp" if self.mode == "tcp" else "bolt"
        config = {
            "proxy-server": {scheme: [listener]},
            "proxy-pass": [{"id": "up", "upstream-id": "up"}],
            "upstream": [{"id": "up", "nodes": [f"{scheme}://127.0.0.1:{upstream_port}"]}],
            "runtime": {"transport": self.transport},
        }
        if self.mode != "tcp":
            listener["mode"] = self.mode
        if self.mode == "route":
            route = {"id": "all", "proxy-pass-id": "up"}
            config["router"] = [{"id": "lab", "proxy-server-id": "lab", "route": [route]}]
        else:
            listener["proxy-pass-id"] = "up"
        return config


def tcp_proxies(launcher=None):
    """All that pass on bytes without reading them."""
    return [TcpNginx(), TcpHAProxy(), TcpEnvoy(), Mosn(), *(TcpSigma(transport, launcher) for transport in TRANSPORTS)]


def bolt_proxies(launcher=None):
    """Those, and Sigma in the modes that know Bolt."""
    sigmas = [TcpSigma(transport, launcher, mode) for mode in ("relay", "route") for transport in TRANSPORTS]
    return [*tcp_proxies(launcher), *sigmas]
