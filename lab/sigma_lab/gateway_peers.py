"""Who takes part in the comparison of gateways besides the JVM's: nothing is rewritten, keep-alive on both sides, as many workers as cores."""

import json
import re
import subprocess

from .bench import LAB_DIR, TARGET_DIR
from .built import go_built
from .nginx import POOL_MAX, Nginx
from .peers import HAProxy, PlainEnvoy
from .programs import Place, find_program
from .sigma import DefaultSigma, plain

SOURCES = LAB_DIR / "gateways"
BUILT = TARGET_DIR / "gateways"
# What remains of 1 GiB for what isn't Go's heap.
GO_MEMORY = "900MiB"
# Fewer collections than by default, with memory that is there.
GO_GARBAGE = "400"


class PlainNginx(Nginx):
    path = "/"
    target = "http://up"

    @property
    def listening(self):
        # With one socket for all, one worker would take most connections.
        return f"{Nginx.listening}{' reuseport' if self.workers > 1 else ''}"


class PlainHAProxy(HAProxy):
    rule = ""


class GatewayEnvoy(PlainEnvoy):
    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        # As nginx.
        config["static_resources"]["listeners"][0]["enable_reuse_port"] = self.workers > 1
        return config


class GatewaySigma(DefaultSigma):
    """Sigma as `./sigma run -conf` starts it: nothing set but one route and one node; and another transport, where it is named."""

    def command(self, bench, upstream_port, port, access_log=False):
        return super().command(bench, upstream_port, port, access_log)[: -len(["-instance", "1"])]

    def config(self, port, upstream_port, access_log):
        return plain(super().config(port, upstream_port, access_log))


class GoGateway:
    """What programs written in Go have in common."""

    workers = 1

    def version_key(self):
        return self.name

    def environment(self, bench):
        # Nothing of the user's is read or written.
        own = {"XDG_DATA_HOME": str(bench.folder), "XDG_CONFIG_HOME": str(bench.folder), "HOME": str(bench.folder)}
        return {"GOMAXPROCS": str(self.workers), "GOMEMLIMIT": GO_MEMORY, "GOGC": GO_GARBAGE, **own}


class Caddy(GoGateway):
    """Caddy, from the PATH or built."""

    name = "Caddy"
    _built = BUILT / "caddy" / "caddy"

    def program(self):
        return find_program("caddy") or str(self._built)

    def missing(self):
        if find_program("caddy"):
            return None
        return go_built(self.name, SOURCES / "caddy", self._built, "github.com/caddyserver/caddy/v2/cmd/caddy")

    def version(self):
        text = subprocess.run([self.program(), "build-info"], stdout=subprocess.PIPE, timeout=60, check=False).stdout.decode(errors="replace")
        found = re.search(r"caddyserver/caddy/v2\s+(v[\d.]+)", text)
        return found.group(1) if found else "unknown"

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        path = bench.folder / f"caddy-{port}.json"
        pool = {"enabled": True, "max_idle_conns": POOL_MAX, "max_idle_conns_per_host": POOL_MAX, "idle_timeout": "1h"}
        proxy = {
            "handler": "reverse_proxy",
            "upstreams": [{"dial": f"127.0.0.1:{upstream_port}"}],
            "transport": {"protocol": "http", "compression": False, "keep_alive": pool, "versions": ["1.1"]},
        }
        server = {"listen": [f"127.0.0.1:{port}"], "automatic_https": {"disable": True}, "protocols": ["h1"], "routes": [{"handle": [proxy]}]}
        config = {
            "admin": {"disabled": True, "config": {"persist": False}},
            "logging": {"logs": {"default": {"level": "ERROR"}}},
            "apps": {"http": {"servers": {"lab": server}}},
        }
        path.write_text(json.dumps(config, indent=1))
        command = [self.program(), "run", "--config", path]
        return Place(self.name, port, bench.start(f"caddy-{port}", command, bench.proxy_core, self.environment(bench)))


class Traefik(GoGateway):
    """Traefik, built: with its file provider, and without dashboard, metrics and log."""

    name = "Traefik"
    _program = BUILT / "traefik" / "traefik"
    _module = "github.com/traefik/traefik/v3"
    # What requests pass, by name.
    middlewares = {}

    def missing(self):
        return go_built(self.name, SOURCES / "traefik", self._program, f"{self._module}/cmd/traefik")

    def version(self):
        return re.search(rf"{self._module} (v[\d.]+)", (SOURCES / "traefik" / "go.mod").read_text()).group(1)

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        folder = bench.folder / f"traefik-{port}"
        folder.mkdir()
        # JSON is YAML, too.
        routes = folder / "routes.yml"
        nodes = {"servers": [{"url": f"http://127.0.0.1:{upstream_port}"}], "serversTransport": "kept"}
        kept = {"maxIdleConnsPerHost": POOL_MAX, "forwardingTimeouts": {"idleConnTimeout": "1h"}}
        lab = {"rule": "PathPrefix(`/`)", "service": "up", "entryPoints": ["lab"]}
        passed = {}
        if self.middlewares:
            lab["middlewares"] = list(self.middlewares)
            passed = {"middlewares": self.middlewares}
        services = {"services": {"up": {"loadBalancer": nodes}}, "serversTransports": {"kept": kept}}
        routes.write_text(json.dumps({"http": {"routers": {"lab": lab}, **services, **passed}}))
        times = {"respondingTimeouts": {"idleTimeout": "1h"}}
        config = {
            "global": {"checkNewVersion": False, "sendAnonymousUsage": False},
            "log": {"level": "ERROR"},
            "entryPoints": {"lab": {"address": f"127.0.0.1:{port}", "transport": times}},
            "providers": {"file": {"filename": str(routes), "watch": False}},
        }
        path = folder / "traefik.yml"
        path.write_text(json.dumps(config))
        command = [self._program, f"--configFile={path}"]
        return Place(self.name, port, bench.start(f"traefik-{port}", command, bench.proxy_core, self.environment(bench)))


class Absent:
    """One that would be of interest, and why it takes no part."""

    def __init__(self, name, reason):
        self.name, self._reason = name, reason

    def version_key(self):
        return self.name

    def missing(self):
        return self._reason


APISIX = Absent("APISIX", "needs OpenResty; neither is a package of Debian, PyPI, Maven Central or a Go module")
