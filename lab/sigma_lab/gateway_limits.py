"""The gateways that can limit how much a client asks for, each with such a limit; and why others take no part then."""

from .client import Connection
from .gateway_peers import Absent, GatewayEnvoy, GatewaySigma, PlainHAProxy, PlainNginx, Traefik
from .peers import connection_settings, typed

# Requests a second, more than any of them takes: that it is looked at is what costs.
RATE = 1_000_000
# The least that all of them take, and with which it is seen that they refuse.
RATE_SEEN = 5
ASKED = 50

ABSENT = (
    Absent("Zuul 1", "has no rate limit of its own"),
    Absent("Zuul 2", "has no rate limit of its own"),
    Absent("Spring Cloud Gateway", "its rate limit counts in Redis, for each request"),
    Absent("Linkerd", "its rate limits come from a control plane"),
    Absent("Undertow", "bounds how many requests are under way, not how often they come"),
    Absent("Caddy", "has no rate limit of its own"),
)


class LimitedNginx(PlainNginx):
    """By address. `nodelay`, as the others do, and a burst that is as large as it may be where it is to let all pass."""

    rate = RATE

    def http_settings(self):
        return f"{super().http_settings()}\n    limit_req_status 429;\n    limit_req_zone $binary_remote_addr zone=clients:10m rate={self.rate}r/s;"

    def passing(self):
        burst = 100_000 if self.rate == RATE else self.rate
        return f"\n            limit_req zone=clients burst={burst} nodelay;{super().passing()}"


class LimitedHAProxy(PlainHAProxy):
    """By address, counted in a table."""

    rate = RATE

    @property
    def rule(self):
        return f"http-request track-sc0 src table clients\n    http-request deny deny_status 429 if {{ sc_http_req_rate(0) gt {self.rate} }}"

    # It stands last.
    server = "\nbackend clients\n    stick-table type ip size 100k expire 10s store http_req_rate(1s)"


class LimitedEnvoy(GatewayEnvoy):
    """One bucket for all clients: one for each it has only by a server of its own."""

    rate = RATE

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        limit = typed(
            "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
            stat_prefix="clients",
            token_bucket={"max_tokens": self.rate, "tokens_per_fill": self.rate, "fill_interval": "1s"},
            filter_enabled={"default_value": {"numerator": 100}},
            filter_enforced={"default_value": {"numerator": 100}},
        )
        connection_settings(config)["http_filters"].insert(0, {"name": "limit", "typed_config": limit})
        return config


class LimitedTraefik(Traefik):
    """By address."""

    rate = RATE

    @property
    def middlewares(self):
        return {"limit": {"rateLimit": {"average": self.rate, "burst": self.rate}}}


class LimitedSigma(GatewaySigma):
    """By address, exact over all Workers, with nothing else set: answers say what is left, as by default."""

    rate = RATE

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        route = config["router"][0]["route"][0]
        route["plugin"] = {**route.get("plugin", {}), "rate-limit": {"limits": [{"requests": self.rate}]}}
        return config


def entrants(launcher):
    """All that take part."""
    peers = [LimitedNginx(), LimitedEnvoy(), LimitedTraefik(), LimitedHAProxy()]
    return [*peers, *ABSENT, LimitedSigma(launcher=launcher), LimitedSigma("io_uring", launcher)]


def refuses(place, path):
    """Whether one that was started with RATE_SEEN refuses some of what one client asks at once, and not all of it."""
    statuses = set()
    for _ in range(ASKED):
        with Connection(place.port) as connection:
            statuses.add(connection.get(path).status)
    return statuses == {200, 429}
