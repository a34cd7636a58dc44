"""What policies cost: the same in nginx, Envoy and Sigma, each case on a path of its own of the same process; and files."""

import json
import random
from types import SimpleNamespace

from . import load, machine, measure, report, verify
from .bench import Bench
from .field import Field, in_turn, require_programs, wanted
from .nginx import Nginx, Upstream
from .peers import Envoy, connection_settings, typed
from .results import output_folder, write
from .sigma import DefaultSigma, is_native
from .summary import summarise
from .tokens import EcIssuer, RsaIssuer

QUICK = SimpleNamespace(rounds=1, seconds=1, warm_up_s=2)
CONNECTIONS = 64
# Few, as each holds a body of megabytes.
FILE_CONNECTIONS = 16
KEY = "of-an-example-0123456789"
KEY_SHA256 = "963754d2670c03adfd1be0ef89006d911cf07c64aa3c61552607d58dbbd626ed"
ORIGIN = "https://www.example.com"
ISSUER, AUDIENCE = "https://id.example.com", "https://api.example.com"
FILES = {"1k": 1 << 10, "100k": 100 << 10, "10m": 10 << 20}
JSON_BYTES = 40 << 10
RATE = 1_000_000
LEVELS = {"gzip": 6, "br": 4, "zstd": 3}


class Case:
    """One policy.

    `fields` are those of its requests; `size` is that of an answer where bytes are what counts; `connections` those of the load.
    """

    def __init__(self, name, path, fields=(), size=None, connections=CONNECTIONS):
        self.name = name
        self.path = path
        self.fields = [f"header:{name}={value}" for name, value in fields] or ["plain"]
        self.size = size
        self.connections = connections


def cases(issuers):
    rsa, ec = (("Authorization", f"Bearer {issuer.token(ISSUER, AUDIENCE)}") for issuer in issuers)
    return [
        Case("no policy", "/plain/a"),
        Case("key", "/key/a", [("X-Api-Key", KEY)]),
        Case("token, RS256", "/token/a", [rsa]),
        Case("token, ES256", "/token/a", [ec]),
        Case("forward auth", "/forward/a", [("Cookie", "session=of-an-example")]),
        Case("rate limit", "/rate/a"),
        Case("CORS", "/cors/a", [("Origin", ORIGIN)]),
        Case("headers", "/headers/a"),
        Case("redirect", "/redirect/a"),
        Case("mirror", "/mirror/a"),
        Case("ten plugins", "/ten/a", [("X-Api-Key", KEY), ("Origin", ORIGIN)]),
        *(
            Case(f"{coding} {level} of 40 KiB of JSON", f"/{coding}/json", [("Accept-Encoding", coding)], JSON_BYTES, FILE_CONNECTIONS)
            for coding, level in LEVELS.items()
        ),
        Case("file of 1 KiB", "/files/1k"),
        Case("file of 100 KiB", "/files/100k", size=FILES["100k"]),
        Case("file of 10 MiB", "/files/10m", size=FILES["10m"], connections=FILE_CONNECTIONS),
    ]


def plugins(options):
    """Runs the experiment and writes plugins.json and plugins.md; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx", "openssl")
    plan = QUICK if options.quick else options
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        issuers = (RsaIssuer(bench.folder), EcIssuer(bench.folder))
        files = _files(bench.folder / "files")
        upstream = Upstream(bench, files={"json": _json()})
        proxies = [PoliticNginx(files), PoliticEnvoy(issuers), PoliticSigma(files, issuers, options.sigma)]
        field = PolicyField(bench, options, wanted(proxies, options.only), upstream)
        places = field.start_all()
        runs = _runs(bench, field, places, plan, cases(issuers))
        document = {
            "kind": "plugins",
            "machine": facts,
            "versions": {**field.versions, **machine.versions()},
            "plan": {key: getattr(plan, key) for key in ("rounds", "seconds", "warm_up_s")},
            "sizes": {case.name: case.size for case in cases(issuers) if case.size},
            "left_out": field.left_out,
            "verified": field.verified,
            "order": [place.name for place in places],
            "runs": runs,
        }
    return write(document, page, output_folder(options))


def _runs(bench, field, places, plan, all_cases):
    for place in places:
        for case in all_cases:
            if place.takes(case):
                load.wrk(bench, place.url(case.path), case.connections, max(1, plan.warm_up_s), case.fields)
        print(f"warm: {place.name}", flush=True)
    runs = []
    for number, case, place in in_turn(plan.rounds, all_cases, places):
        if not place.takes(case):
            continue

        def run(place=place, case=case):
            return measure.run(bench, place, field.upstream, case.connections, plan.seconds, path=case.path, kind=case.fields)

        result = field.attempted(place, case.name, run)
        if result:
            runs.append({"proxy": place.name, "case": case.name, "connections": case.connections, "round": number, **result})
            print(report.run_line(runs[-1]), flush=True)
    return runs


class PolicyField(Field):
    """Those that have policies: a place knows which cases it takes."""

    def start(self, proxy, access_log=False, check=True, java_options=""):
        place = super().start(proxy, access_log, check, java_options)
        if place:
            place.takes = proxy.takes
        return place

    def _verify(self, place, check):
        verify.ready(self.bench, place, path="/plain/a")


class PoliticNginx(Nginx):
    """nginx: a map for keys, which is no hash and no comparison in constant time."""

    def __init__(self, files):
        self._files = files

    def takes(self, case):
        return not case.name.startswith(("token", "ten", "br", "zstd"))

    def start(self, bench, upstream_port, access_log=False):
        self.settings = f"""
        location /key/ {{
            if ($http_x_api_key != "{KEY}") {{ return 401; }}
            proxy_set_header X-Api-Key "";
            proxy_set_header X-Consumer-Id shop;{self.passing()}
        }}
        location /forward/ {{ auth_request /who;{self.passing()} }}
        location = /who {{ internal; proxy_pass_request_body off; proxy_set_header Content-Length "";{self.passing()} }}
        location /mirror/ {{ mirror /copy;{self.passing()} }}
        location = /copy {{ internal;{self.passing()} }}
        location /rate/ {{ limit_req zone=all burst=100000 nodelay;{self.passing()} }}
        location /cors/ {{
            add_header Access-Control-Allow-Origin $http_origin always;
            add_header Vary Origin always;{self.passing()}
        }}
        location /headers/ {{
            proxy_set_header X-Env test;
            proxy_set_header X-Of $remote_addr;
            proxy_set_header Cookie "";
            proxy_hide_header Server;
            add_header X-Frame-Options DENY always;{self.passing()}
        }}
        location /redirect/ {{ return 302 https://www.example.com$request_uri; }}
        location /gzip/ {{
            gzip on; gzip_comp_level 6; gzip_types application/json; gzip_proxied any; gzip_http_version 1.1;{self.passing()}
        }}
        location /files/ {{ alias {self._files}/; open_file_cache max=16; }}"""
        self.path = "/plain/"
        self.target = "http://up"
        return super().start(bench, upstream_port, access_log)

    def http_settings(self):
        return f"limit_req_zone $binary_remote_addr zone=all:10m rate={RATE}r/s;"


class PoliticEnvoy(Envoy):
    """Envoy: filters that are there for all, and switched on by the route."""

    def __init__(self, issuers):
        self._issuers = issuers

    def takes(self, case):
        return case.name not in ("key", "ten plugins") and not case.name.startswith("file")

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        connections = connection_settings(config)
        filters = "envoy.extensions.filters.http"
        token = {
            "providers": {
                "id": {
                    "issuer": ISSUER,
                    "audiences": [AUDIENCE],
                    "local_jwks": {"inline_string": json.dumps({"keys": [issuer.jwk() for issuer in self._issuers]})},
                    "jwt_cache_config": {"jwt_cache_size": 1000},
                }
            },
            "rules": [{"match": {"prefix": "/token/"}, "requires": {"provider_name": "id"}}],
        }
        library = "envoy.extensions.compression"
        packers = {
            "gzip": typed(f"{library}.gzip.compressor.v3.Gzip", compression_level=f"COMPRESSION_LEVEL_{LEVELS['gzip']}", window_bits=15),
            "br": typed(f"{library}.brotli.compressor.v3.Brotli", quality=LEVELS["br"]),
            "zstd": typed(f"{library}.zstd.compressor.v3.Zstd", compression_level=LEVELS["zstd"]),
        }
        json_only = {"common_config": {"content_type": ["application/json"]}}
        asked = {"http_service": {"server_uri": {"uri": "http://up", "cluster": "up", "timeout": "5s"}, "path_prefix": "/who"}}
        bucket = {"stat_prefix": "rate"}
        connections["http_filters"] = [
            {"name": "cors", "typed_config": typed(f"{filters}.cors.v3.Cors")},
            {"name": "jwt", "typed_config": typed(f"{filters}.jwt_authn.v3.JwtAuthentication", **token)},
            {"name": "rate", "typed_config": typed(f"{filters}.local_ratelimit.v3.LocalRateLimit", **bucket)},
            {"name": "asked", "typed_config": typed(f"{filters}.ext_authz.v3.ExtAuthz", **asked)},
            *(
                {
                    "name": coding,
                    "typed_config": typed(
                        f"{filters}.compressor.v3.Compressor",
                        compressor_library={"name": coding, "typed_config": packer},
                        response_direction_config=json_only,
                    ),
                }
                for coding, packer in packers.items()
            ),
            *connections["http_filters"],
        ]
        on = {
            "cors": typed(f"{filters}.cors.v3.CorsPolicy", allow_origin_string_match=[{"exact": ORIGIN}]),
            "rate": typed(
                f"{filters}.local_ratelimit.v3.LocalRateLimit",
                stat_prefix="rate",
                token_bucket={"max_tokens": RATE, "tokens_per_fill": RATE, "fill_interval": "1s"},
                filter_enabled={"default_value": {"numerator": 100}},
                filter_enforced={"default_value": {"numerator": 100}},
            ),
        }
        unasked = {"asked": typed(f"{filters}.ext_authz.v3.ExtAuthzPerRoute", disabled=True)}
        unpacked = {coding: typed(f"{filters}.compressor.v3.CompressorPerRoute", disabled=True) for coding in packers}
        off = {**unasked, **unpacked}
        to = {"cluster": "up", "timeout": "60s"}
        edits = {
            "request_headers_to_add": [_set("X-Env", "test"), _set("X-Of", "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%")],
            "request_headers_to_remove": ["cookie"],
            "response_headers_to_add": [_set("X-Frame-Options", "DENY")],
            "response_headers_to_remove": ["server"],
        }
        connections["route_config"]["virtual_hosts"][0]["routes"] = [
            *({"match": {"prefix": f"/{coding}/"}, "route": to, "typed_per_filter_config": unasked} for coding in packers),
            {"match": {"prefix": "/forward/"}, "route": to, "typed_per_filter_config": unpacked},
            {"match": {"prefix": "/mirror/"}, "route": {**to, "request_mirror_policies": [{"cluster": "up"}]}, "typed_per_filter_config": off},
            {"match": {"prefix": "/cors/"}, "route": to, "typed_per_filter_config": {**off, "cors": on["cors"]}},
            {"match": {"prefix": "/rate/"}, "route": to, "typed_per_filter_config": {**off, "rate": on["rate"]}},
            {"match": {"prefix": "/headers/"}, "route": to, **edits, "typed_per_filter_config": off},
            {"match": {"prefix": "/redirect/"}, "redirect": {"https_redirect": True, "host_redirect": "www.example.com", "response_code": "FOUND"}},
            {"match": {"prefix": "/"}, "route": to, "typed_per_filter_config": off},
        ]
        return config


def _set(name, value):
    return {"header": {"key": name, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}


class PoliticSigma(DefaultSigma):
    """Sigma with nothing set but its routes and their plugins."""

    # So that connections are compared with each other; it costs nothing that is measured.
    requests_per_connection = 10_000

    def __init__(self, files, issuers, launcher=None):
        super().__init__("epoll", launcher)
        self._files = files
        self._issuers = issuers
        self.native = is_native(launcher)

    def takes(self, case):
        return True

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        key = {"consumers": [{"id": "shop", "keys": [f"sha256:{KEY_SHA256}"]}]}
        headers = {
            "request": {"set": {"X-Env": "test"}, "set-template": {"X-Of": "{client-address}"}, "remove": ["Cookie"]},
            "response": {"remove": ["Server"], "set": {"X-Frame-Options": "DENY"}},
        }
        token = {"keys": [{"pem": issuer.public_pem()} for issuer in self._issuers], "issuer": ISSUER, "audience": AUDIENCE}
        rate = {"limits": [{"requests": RATE}], "fields": "off"}
        ten = {
            "ip-restriction": {"deny": ["192.0.2.0/24"]},
            "key-auth": key,
            "rate-limit": rate,
            "concurrency-limit": {"max": 10_000},
            "cors": {"allow-origins": [ORIGIN]},
            "csrf": {},
            "body-limit": {"max": "1MiB"},
            "headers": headers,
            "csp": {"directive": [{"name": "default-src", "value": "'self'"}]},
            "x-frame": "DENY",
        }
        paths = {
            "plain": {},
            "key": {"key-auth": key},
            "token": {"jwt": token},
            "rate": {"rate-limit": rate},
            "cors": {"cors": {"allow-origins": [ORIGIN]}},
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
        config["router"][0]["route"] = [
            {"id": name, "path": f"/{name}/*", "proxy-pass-id": "up", **({"plugin": of} if of else {})} for name, of in paths.items()
        ]
        return config


def _files(folder):
    folder.mkdir()
    for name, length in FILES.items():
        (folder / name).write_bytes(random.Random(length).randbytes(length))
    return folder


def _json():
    """Some 40 KiB of what an API answers: ids, words and numbers."""
    seeded = random.Random(40)
    words = "garden tool spade rake green steel handle long short light heavy price stock shelf order".split()
    rows = []
    while len(json.dumps(rows)) < JSON_BYTES - 300:
        text = " ".join(seeded.choices(words, k=8))
        rows.append({"id": seeded.getrandbits(48), "name": text, "price": seeded.randint(100, 99_999) / 100, "stock": seeded.randint(0, 500)})
    return json.dumps(rows).encode().ljust(JSON_BYTES)


def page(document, _json_path):
    """The Markdown of the result; no bounds but what a policy costs beside none."""
    summary = summarise(document["runs"])
    plan = document["plan"]
    intro = [
        "The same policy in nginx, Envoy and Sigma, each on a path of its own of one process; Sigma with nothing set but the routes and their plugins,",
        "on epoll. CPU is utime + stime of all of a proxy's processes, per completed request. One proxy thread on one core; load (wrk) and upstream",
        f"(nginx) on another. Medians over rounds: {plan['rounds']}, runs of {plan['seconds']} s. A token and a key are the same in all requests, so tokens come out of caches.",
        "nginx has no tokens without other modules, and compares keys as texts.",
    ]
    lines = report.page("What policies cost", document, intro)
    names = list(dict.fromkeys(run["case"] for run in document["runs"]))
    lines += ["| case | " + " | ".join(document["order"]) + " | Sigma × nginx | Sigma × Envoy |", "|---|" + "---:|" * (len(document["order"]) + 2)]
    for name in names:
        costs = {proxy: summary[proxy, name]["cpu_us_per_request"] for proxy in document["order"] if (proxy, name) in summary}
        own = next((cost for proxy, cost in costs.items() if proxy.startswith("Sigma")), None)
        ratios = [report.number(own and costs.get(peer) and own / costs[peer], 2) for peer in ("nginx", "Envoy")]
        shown = [report.number(costs.get(proxy), 2) for proxy in document["order"]]
        lines.append(f"| {name}, µs of CPU | " + " | ".join([*shown, *ratios]) + " |")
    lines += [""]
    for name, size in document["sizes"].items():
        rates = {
            proxy: size / summary[proxy, name]["cpu_us_per_request"] * 1e6 / (1 << 20) for proxy in document["order"] if (proxy, name) in summary
        }
        lines.append(f"{name}, MiB of it for each second of CPU: " + ", ".join(f"{proxy} {rate:,.0f}" for proxy, rate in rates.items()) + ".\n")
    for name in names:
        lines += [f"## {name}", "", *report.table(document["order"], name, summary)]
    lines += report.warnings(document["runs"], summary)
    return "\n".join(lines), False


