"""HTTP/2 of clients: small answers over TLS and without it, 1 MiB answers, nodes that speak HTTP/2 too, and gRPC."""

from types import SimpleNamespace
from typing import Callable, NamedTuple

from . import bounds, chart, machine, measure, report
from .alloc import allocated
from .bench import Bench, LabError
from .field import Field, in_turn, require_programs, wanted
from .h2_peers import GRPC_BODY, GRPC_PATH, NO_H2_TO_NODES, GrpcNode, grpc_proxies, h2_proxies, h2c_proxies, nodes_proxies
from .h2load import fetch, h2load
from .jvm import AllocationProbe
from .nginx import BODY, LARGE_BODIES, Upstream
from .programs import find_program, first_line
from .results import output_folder, write
from .summary import summarise
from .tls_peers import Certificate
from .traffic import share
from .verify import CONNECTIONS, LOAD_S, UPSTREAM_PATH, connections_kept, listening

SPREADS = ((50, 10), (10, 100))
LARGE_SPREAD = (16, 4)
LARGE_PATH = "/1m"
KEPT_STREAMS = 4
READY_TIMEOUT_S = 15
# Within which all connections stand, and before which none ends.
SETTLE_S = 1
QUICK = SimpleNamespace(parts=["h2", "h2c"], spreads=SPREADS[:1], large=False, rounds=1, seconds=1, warm_up_s=1)
COLUMNS = tuple(column for column in report.COLUMNS if column[0] not in ("least served", "errors")) + (
    ("failed %", lambda row: report.number(row["failed_percent"], 2)),
)
LARGE_COLUMNS = (
    ("MiB/CPU s", lambda row: report.number(row["cpu_us_per_request"] and 1e6 / row["cpu_us_per_request"], 0)),
    ("× nginx", lambda row: report.number(row["cpu_us_per_request_ratio"] and 1 / row["cpu_us_per_request_ratio"], 2)),
    ("MiB/s", lambda row: report.number(row["rps"], 0)),
    *(column for column in COLUMNS if column[0] in ("± %", "p50 ms", "p99 ms", "max ms", "busy %", "RSS MiB", "failed %")),
)


class Part(NamedTuple):
    """What is asked of proxies that are up together."""

    title: str
    protocol: str
    proxies: Callable
    path: str = UPSTREAM_PATH
    length: int = len(BODY)


PARTS = {
    "h2": Part("HTTP/2 over TLS", "h2", h2_proxies),
    "h2c": Part("HTTP/2 without TLS", "h2c", h2c_proxies),
    "nodes": Part("to nodes over HTTP/2", "h2c", nodes_proxies),
    "grpc": Part("gRPC", "h2c", grpc_proxies, GRPC_PATH, len(GRPC_BODY)),
}


class Case(NamedTuple):
    """One kind of load."""

    name: str
    spread: tuple
    path: str
    length: int


def h2(options):
    """Runs the experiment and writes h2.json, h2.md and h2.svg; returns the exit code."""
    require_programs("taskset", "ss", "nginx", "openssl", "h2load", "nghttp")
    plan = QUICK if options.quick else SimpleNamespace(**vars(options), spreads=SPREADS, large=True)
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        upstream = Upstream(bench, h2c=True)
        certificate = Certificate(bench.folder, "ECDSA")
        everyone = wanted(h2_proxies(certificate, options.sigma), options.only)
        names = [proxy.name for proxy in everyone]
        runs, heap, versions, left_out, verified = [], [], {}, {}, {}
        for key in plan.parts:
            field = _field(bench, options, key, [proxy for proxy in PARTS[key].proxies(certificate, options.sigma) if proxy.name in names], upstream)
            if not field:
                continue
            part = _Part(bench, field, PARTS[key], plan)
            runs += part.runs()
            heap += part.heap
            versions.update(field.versions)
            verified.update({f"{name}, {key}": seen for name, seen in field.verified.items()})
            left_out.update({f"{name}, {PARTS[key].title}": reason for name, reason in field.left_out.items()})
        if "nodes" in plan.parts:
            left_out.update({f"{name}, {PARTS['nodes'].title}": reason for name, reason in NO_H2_TO_NODES.items() if name in names})
        if "grpc" in plan.parts and "h2o" in names:
            left_out[f"h2o, {PARTS['grpc'].title}"] = NO_H2_TO_NODES["h2o"]
        document = {
            "kind": "h2",
            "machine": facts,
            "versions": {**versions, "h2load": first_line(["h2load", "--version"]), "OpenSSL": first_line(["openssl", "version"])},
            "plan": {key: getattr(plan, key) for key in ("parts", "spreads", "rounds", "seconds", "warm_up_s")},
            "left_out": left_out,
            "verified": verified,
            "order": ["direct", *names],
            "runs": runs,
            "allocated": heap,
        }
    return write(document, page, output_folder(options), options.check)


def _field(bench, options, key, proxies, upstream):
    """The proxies of a part in front of its nodes; None where there are none."""
    if not proxies:
        return None
    if key == "grpc":
        if not find_program("nghttpd"):
            raise LabError("the node of gRPC is nghttpd, which is not installed (Debian package nghttp2-server); or leave the part out with --parts")
        return _GrpcField(bench, options, proxies, GrpcNode(bench))
    field = _Field(bench, options, proxies, upstream)
    if key == "nodes":
        field.upstream = SimpleNamespace(place=upstream.h2c, accepted=upstream.accepted, answered=upstream.answered)
    field.direct = None if key == "h2" else upstream.h2c
    return field


class _Field(Field):
    """Proxies that speak HTTP/2; `direct` is where the load finds the upstream itself, None where it doesn't."""

    direct = None
    posted = None

    def _verify(self, place, check):
        listening(self.bench, place)
        self.bench.await_true(place.started, lambda: self._is_right(place), "giving the right answer over HTTP/2", READY_TIMEOUT_S, pause_s=0.2)
        if check:
            self._check(place)

    def _is_right(self, place):
        return fetch(place.url(UPSTREAM_PATH)) == BODY

    def _check(self, place):
        echo = fetch(place.url("/echo/a?b=c"))
        if echo != b"/echo/a?b=c":
            raise LabError(f"{place.name}: the upstream's path: {echo} (expected: /echo/a?b=c)")

        def run(looks):
            return h2load(self.bench, place.url(UPSTREAM_PATH), (CONNECTIONS, KEPT_STREAMS), LOAD_S, len(BODY), looks=looks)

        self.verified[place.name] = connections_kept(self.bench, place, self.upstream, run=run)


class _GrpcField(_Field):
    """Proxies in front of the node of gRPC, which tells no numbers of connections."""

    def __init__(self, bench, options, proxies, node):
        super().__init__(bench, options, proxies, SimpleNamespace(place=node.place, accepted=lambda: 0))
        self.direct = node.place
        self.posted = node.posted
        self._verify(node.place, True)

    def _is_right(self, place):
        told = fetch(place.url(GRPC_PATH), self.posted)
        return told is not None and GRPC_BODY in told and b"grpc-status: 0" in told

    def _check(self, place):
        self.verified[place.name] = {"grpc-status": "as a trailer, behind the message"}


class _Part:
    """The runs of one part, and what Sigma allocated meanwhile."""

    def __init__(self, bench, field, part, plan):
        self._bench = bench
        self._field = field
        self._part = part
        self._plan = plan
        self.heap = []

    def runs(self):
        try:
            places = self._field.start_all()
        except LabError as problem:
            print(f"{self._part.title}: {problem}", flush=True)
            return []
        for place in places:
            for case in self._small():
                self._load(place, case, max(1, self._plan.warm_up_s // len(self._plan.spreads)))
            print(f"warm: {place.name}", flush=True)
        entrants = [self._field.direct, *places] if self._field.direct else places
        runs = []
        for number, case, place in in_turn(self._plan.rounds, self._cases(), entrants):
            result = self._field.attempted(place, case.name, lambda: self._measured(place, case))
            if result:
                connections, streams = case.spread
                runs.append({"proxy": place.name, "case": case.name, "connections": connections, "streams": streams, "round": number, **result})
                print(report.run_line(runs[-1]), flush=True)
        if hasattr(self._field.upstream, "answered"):
            self._allocations(places)
        self._field.stop_all(places)
        return runs

    def _small(self):
        part = self._part
        return [Case(_case_name(part.title, spread), spread, part.path, part.length) for spread in self._plan.spreads]

    def _cases(self):
        # Nodes of gRPC have small answers only.
        if not self._plan.large or self._field.posted:
            return self._small()
        return [*self._small(), Case(_case_name(f"{self._part.title}, 1 MiB answers", LARGE_SPREAD), LARGE_SPREAD, LARGE_PATH, LARGE_BODIES["1m"])]

    def _load(self, place, case, seconds, looks=()):
        return h2load(self._bench, place.url(case.path), case.spread, seconds, case.length, self._field.posted, looks)

    def _measured(self, place, case):
        """What the answers that came within the window cost, by h2load's own list of them."""
        window = measure.Window(self._bench, place, SETTLE_S, self._plan.seconds, self._field.upstream.accepted)
        result = self._load(place, case, self._plan.seconds + 2 * SETTLE_S, window.times)
        if result["protocol"] != self._part.protocol:
            raise LabError(f"{place.name}: speaks {result['protocol']} (expected: {self._part.protocol})")
        began, ended = window.between()
        latencies = sorted(latency for at, latency in result.pop("answers") if began <= at < ended)
        if not latencies:
            raise LabError(f"{place.name}: no answer within {self._plan.seconds} s: {result}")
        result["done"] = result["requests"]
        window.add_costs(result, len(latencies), place is self._field.direct)
        result.update(p50_us=share(latencies, 0.5), p99_us=share(latencies, 0.99), max_us=latencies[-1])
        result["upstream_opened"] = window.counted()
        return result

    def _allocations(self, places):
        case = self._small()[0]
        for place in (place for place in places if place.name.startswith("Sigma")):
            row = self._field.attempted(place, "allocation", lambda: self._allocated(place, case))
            if row:
                self.heap.append(row)
                print(f"{place.name}: {row['bytes']:.1f} bytes/request", flush=True)

    def _allocated(self, place, case):
        with AllocationProbe(place.pid) as probe:
            requests, loops, *_ = allocated(self._field, probe, self._plan.seconds, lambda seconds, looks: self._load(place, case, seconds, looks))
        return {"proxy": place.name, "case": case.name, "bytes": sum(loops.values()) / requests}


def _case_name(title, spread):
    return f"{title}, {spread[0]} connections × {spread[1]} streams"


def page(document, json_path):
    """The Markdown, and whether a bound is missed."""
    summary = summarise(document["runs"])
    _add_failed(summary, document["runs"])
    plan = document["plan"]
    cases = list(dict.fromkeys(run["case"] for run in document["runs"]))
    small = [case for case in cases if "1 MiB" not in case]
    image = json_path.with_suffix(".svg")
    image.write_text(chart.chart(document["order"], {case: case for case in small}, summary, "HTTP/2"))
    intro = [
        "Clients over HTTP/2, by ALPN with TLS 1.3, or without TLS by prior knowledge; nodes over HTTP/1.1 with keep-alive, where nothing else is said.",
        "Nothing is rewritten, small JSON answers; gRPC: a message of 100 bytes each way, POST, with a trailer. One proxy thread on one core;",
        "load (h2load) and upstream (nginx; for gRPC nghttpd) on another. CPU is utime + stime of all of the proxy's processes; it is counted, as latencies are,",
        "for answers that came while all connections stood. direct: no proxy, HTTP/2 without TLS to the upstream.",
        f"Medians over interleaved rounds ({plan['rounds']}, runs of {plan['seconds']} s), ratios taken within each round.",
        "",
        f"![CPU time per request and requests per second]({image.name})",
    ]
    lines = report.page("HTTP/2", document, intro)
    for case in cases:
        columns = COLUMNS if case in small else LARGE_COLUMNS
        lines += [f"## {case}", "", *report.table(document["order"], case, summary, columns)]
    if document["allocated"]:
        lines += ["## Allocation", "", "Heap bytes that event loops allocate for a request, as [alloc](alloc.md) counts them.", ""]
        lines += ["| proxy | | bytes/request |", "|---|---|---:|"]
        lines += [f"| {row['proxy']} | {row['case']} | {row['bytes']:.1f} |" for row in document["allocated"]]
        lines.append("")
    rows = bounds.h2_bounds(summary, small, document["allocated"])
    if rows:
        lines += ["## Bounds", "", *report.bounds_table(rows)]
    lines += report.warnings(document["runs"], summary)
    return "\n".join(lines), any(not met for *_, met in rows)


def _add_failed(summary, runs):
    """What share of all requests failed, of all rounds together."""
    for (proxy, case), row in summary.items():
        done = sum(run["done"] for run in runs if (run["proxy"], run["case"]) == (proxy, case))
        row["failed_percent"] = 100 * sum(row["errors"].values()) / max(1, done)
