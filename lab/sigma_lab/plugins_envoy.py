"""Envoy with policies: filters that are switched off but on the routes of their own, so that requests of the others don't pass them."""

import json

from .peers import Envoy, connection_settings, typed
from .plugins_cases import ALLOWED, AUDIENCE, CONSUMER, ISSUER, KEY, LEVELS, RATE, RATE_SEEN

FILTERS = "envoy.extensions.filters.http"
LIBRARY = "envoy.extensions.compression"
TO = {"cluster": "up", "timeout": "60s"}


class PoliticEnvoy(Envoy):
    departs = ()

    def __init__(self, issuers):
        self._issuers = issuers

    def takes(self, case):
        return case.name != "ten plugins" and not case.name.startswith("file")

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        connections = connection_settings(config)
        off = [{"name": name, "typed_config": settings, "disabled": True} for name, settings in self._filters().items()]
        connections["http_filters"] = [*off, *connections["http_filters"]]
        connections["route_config"]["virtual_hosts"][0]["routes"] = _routes()
        return config

    def _filters(self):
        asked = {"http_service": {"server_uri": {"uri": "http://up", "cluster": "up", "timeout": "5s"}, "path_prefix": "/who"}}
        return {
            "cors": typed(f"{FILTERS}.cors.v3.Cors"),
            "key": typed(f"{FILTERS}.api_key_auth.v3.ApiKeyAuth", **_keys()),
            "jwt": typed(f"{FILTERS}.jwt_authn.v3.JwtAuthentication", **self._tokens()),
            "rate": typed(f"{FILTERS}.local_ratelimit.v3.LocalRateLimit", stat_prefix="rate"),
            "asked": typed(f"{FILTERS}.ext_authz.v3.ExtAuthz", allowed_headers={"patterns": [{"exact": "cookie"}]}, **asked),
            **_compressors(),
        }

    def _tokens(self):
        """The same provider twice: one keeps what it has verified."""
        provider = {
            "issuer": ISSUER,
            "audiences": [AUDIENCE],
            "local_jwks": {"inline_string": json.dumps({"keys": [issuer.jwk() for issuer in self._issuers]})},
            "forward": True,
            "claim_to_headers": [{"header_name": "X-Consumer-Id", "claim_name": "sub"}],
        }
        providers = {"token": {**provider, "jwt_cache_config": {"jwt_cache_size": 1000}}, "uncached": provider}
        return {"providers": providers, "requirement_map": {name: {"provider_name": name} for name in providers}}


def _keys():
    forwarding = {"header": "X-Consumer-Id", "hide_credentials": True}
    return {"credentials": [{"key": KEY, "client": CONSUMER}], "key_sources": [{"header": "X-Api-Key"}], "forwarding": forwarding}


def _compressors():
    packers = {
        "gzip": typed(f"{LIBRARY}.gzip.compressor.v3.Gzip", compression_level=f"COMPRESSION_LEVEL_{LEVELS['gzip']}", window_bits=15),
        "br": typed(f"{LIBRARY}.brotli.compressor.v3.Brotli", quality=LEVELS["br"]),
        "zstd": typed(f"{LIBRARY}.zstd.compressor.v3.Zstd", compression_level=LEVELS["zstd"]),
    }
    json_only = {"common_config": {"content_type": ["application/json"]}}
    compressor = f"{FILTERS}.compressor.v3.Compressor"
    return {
        coding: typed(compressor, compressor_library={"name": coding, "typed_config": packer}, response_direction_config=json_only)
        for coding, packer in packers.items()
    }


def _routes():
    edits = {
        "request_headers_to_add": [_set("X-Env", "test"), _set("X-Of", "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%")],
        "request_headers_to_remove": ["cookie"],
        "response_headers_to_add": [_set("X-Frame-Options", "DENY")],
        "response_headers_to_remove": ["server"],
    }
    elsewhere = {"https_redirect": True, "host_redirect": "www.example.com", "response_code": "FOUND"}
    required = f"{FILTERS}.jwt_authn.v3.PerRouteConfig"
    shared = typed(f"{FILTERS}.cors.v3.CorsPolicy", allow_origin_string_match=[{"exact": ALLOWED}])
    vary = {"response_headers_to_add": [{"header": {"key": "Vary", "value": "Origin"}}]}
    on = typed("envoy.config.route.v3.FilterConfig", config={})
    return [
        _route("key", key=on),
        _route("token", jwt=typed(required, requirement_name="token")),
        _route("uncached", jwt=typed(required, requirement_name="uncached")),
        _route("forward", asked=on),
        _route("rate", rate=_bucket(RATE)),
        _route("few", rate=_bucket(RATE_SEEN)),
        {**_route("cors", cors=shared), **vary},
        {**_route("headers"), **edits},
        {"match": {"prefix": "/redirect/"}, "redirect": elsewhere},
        {"match": {"prefix": "/mirror/"}, "route": {**TO, "request_mirror_policies": [{"cluster": "up"}]}},
        *(_route(coding, **{coding: on}) for coding in LEVELS),
        {"match": {"prefix": "/"}, "route": TO},
    ]


def _route(root, **filters):
    """Requests below it, with those filters."""
    return {"match": {"prefix": f"/{root}/"}, "route": TO, **({"typed_per_filter_config": filters} if filters else {})}


def _bucket(rate):
    return typed(
        f"{FILTERS}.local_ratelimit.v3.LocalRateLimit",
        stat_prefix="rate",
        token_bucket={"max_tokens": rate, "tokens_per_fill": rate, "fill_interval": "1s"},
        filter_enabled={"default_value": {"numerator": 100}},
        filter_enforced={"default_value": {"numerator": 100}},
    )


def _set(name, value):
    return {"header": {"key": name, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}
