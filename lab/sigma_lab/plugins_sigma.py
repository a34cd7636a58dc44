"""Sigma with nothing set but its routes and their plugins."""

from .plugins_cases import ALLOWED, AUDIENCE, CONSUMER, ISSUER, KEY_SHA256, LEVELS, RATE, RATE_SEEN
from .sigma import DefaultSigma


class PoliticSigma(DefaultSigma):
    """Keys are there as digests; a route has tokens that are verified each time."""

    departs = ()

    def __init__(self, files, issuers, launcher=None):
        super().__init__("epoll", launcher)
        self._files = files
        self._issuers = issuers

    def takes(self, _case):
        return True

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        config["router"][0]["route"] = [
            {"id": name, "path": f"/{name}/*", "proxy-pass-id": "up", **({"plugin": of} if of else {})} for name, of in self._plugins().items()
        ]
        return config

    def _plugins(self):
        """By the first word of the path."""
        key = {"consumers": [{"id": CONSUMER, "keys": [f"sha256:{KEY_SHA256}"]}]}
        headers = {
            "request": {"set": {"X-Env": "test"}, "set-template": {"X-Of": "{client-address}"}, "remove": ["Cookie"]},
            "response": {"remove": ["Server"], "set": {"X-Frame-Options": "DENY"}},
        }
        token = {"keys": [{"pem": issuer.public_pem()} for issuer in self._issuers], "issuer": ISSUER, "audience": AUDIENCE}
        ten = {
            "ip-restriction": {"deny": ["192.0.2.0/24"]},
            "key-auth": key,
            "rate-limit": _limit(RATE),
            "concurrency-limit": {"max": 10_000},
            "cors": {"allow-origins": [ALLOWED]},
            "csrf": {},
            "body-limit": {"max": "1MiB"},
            "headers": headers,
            "csp": {"directive": [{"name": "default-src", "value": "'self'"}]},
            "x-frame": "DENY",
        }
        return {
            "plain": {},
            "key": {"key-auth": key},
            "token": {"jwt": token},
            "uncached": {"jwt": {**token, "remembered": 0}},
            "rate": {"rate-limit": _limit(RATE)},
            "few": {"rate-limit": _limit(RATE_SEEN)},
            "cors": {"cors": {"allow-origins": [ALLOWED]}},
            "headers": {"headers": headers},
            "redirect": {"redirect": {"to": "https://www.example.com$path$query"}},
            "forward": {"forward-auth": {"proxy-pass-id": "up", "path": "/who"}},
            "mirror": {"mirror": {"proxy-pass-id": "up"}},
            "ten": ten,
            "gzip": {"gzip": {"compression-level": LEVELS["gzip"]}},
            "br": {"compression": {"br-level": LEVELS["br"]}},
            "zstd": {"compression": {"zstd-level": LEVELS["zstd"]}},
            "files": {"static-resources": {"root": str(self._files), "strip-prefix": "/files"}},
        }


def _limit(requests):
    return {"limits": [{"requests": requests}], "fields": "off"}
