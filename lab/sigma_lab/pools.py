"""Connections to nodes that are fast and slow: what a proxy opens when nobody says how many, and what that costs."""

from types import SimpleNamespace

from . import load, machine, measure, procfs, report, verify
from .bench import Bench
from .field import Field, in_turn, require_programs, wanted
from .nginx import Nginx
from .peers import HAProxy
from .programs import Place
from .results import output_folder
from .sheet import write_sheet
from .sigma import DefaultSigma, Sigma
from .summary import summarise
from .traffic import Node, build

DELAYS_MS = (0, 1, 20, 500)
PATH = "/test/load"
TRANSPORT = "epoll"
TUNED, DEFAULTS = "Sigma tuned", "Sigma defaults"
# Where the node waits and the proxy doesn't, so that requests/s are what its connections make possible.
WAITING_FROM_MS = 20
RPS_SHARE_MIN = 0.95
CPU_TIMES_MAX = 1.03
QUICK = SimpleNamespace(connections=[64, 512], delays=[0, 20], rounds=1, seconds=1, warm_up_s=1)


class FreeHAProxy(HAProxy):
    """Opens as many connections to the node as it wants; elsewhere the lab gives it few, which suits fast nodes alone."""

    node_connections_max = 0


class TunedSigma(Sigma):
    def __init__(self, launcher=None):
        super().__init__(TRANSPORT, launcher)
        self.name = TUNED


class UntunedSigma(DefaultSigma):
    """On the transport of the tuned one, so that settings alone make the difference."""

    def __init__(self, launcher=None):
        super().__init__(TRANSPORT, launcher)
        self.name = DEFAULTS


class _PoolField(Field):
    """Each proxy has a node of its own, so that its connections are nobody else's."""

    def __init__(self, bench, options, proxies, delay_ms):
        super().__init__(bench, options, proxies, SimpleNamespace(place=None))
        self.nodes = {}
        self._delay_ms = delay_ms

    def start(self, proxy, access_log=False, check=True, java_options=""):
        node = self.nodes[proxy.name] = Node(self.bench, f"node-{self._delay_ms}ms", self._delay_ms)
        node.start()
        self.upstream.place = Place("direct", node.port, node.started)
        return super().start(proxy, access_log, check, java_options)

    def stop_all(self, places):
        super().stop_all(places)
        for node in self.nodes.values():
            node.kill()

    def _verify(self, place, check):
        verify.ready(self.bench, place, path=PATH)


def pools(options):
    """Runs the experiment and writes pools.json and .md; returns the exit code."""
    require_programs("taskset", "ss", "wrk")
    build()
    plan = QUICK if options.quick else options
    options.out = output_folder(options)
    proxies = [Nginx(), FreeHAProxy(), TunedSigma(options.sigma), UntunedSigma(options.sigma)]
    proxies = wanted(proxies, options.only)
    runs, field = [], None
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        for delay_ms in plan.delays:
            field = _PoolField(bench, options, [proxy for proxy in proxies if not field or proxy.name not in field.left_out], delay_ms)
            places = field.start_all()
            for place in places:
                load.wrk(bench, place.url(PATH), min(plan.connections), plan.warm_up_s)
            for number, connections, place in in_turn(plan.rounds, plan.connections, places):
                run = _measured(field, place, connections, plan.seconds)
                if run:
                    case = f"{delay_ms} ms, {connections:,} clients"
                    runs.append({"proxy": place.name, "case": case, "connections": connections, "delay_ms": delay_ms, "round": number, **run})
                    print(report.run_line(runs[-1]) + f"  {run['node_connections']} connections to the node", flush=True)
            field.stop_all(places)
        tables, bounds = _summary(runs, plan, [proxy.name for proxy in proxies])
        intro = [
            "wrk with keep-alive through a proxy with one worker on one core; wrk and a node for each proxy (`lab/traffic`), which answers after so many milliseconds, on another. `/test/*` is rewritten to `/*`.",
            f"Sigma has one Worker and {TRANSPORT}; tuned is the configuration of the [main road](road.md), with 64 connections to the node, and with defaults nothing is set but a route. nginx as on the",
            f"main road; HAProxy too, but with as many connections as it wants. Medians over interleaved rounds ({plan.rounds}, runs of {plan.seconds} s); connections are the most that the node had at once",
            "within a run, opened those opened in it. CPU time of all requests is divided by the right answers. Errors: answers that were not 2xx (status), requests over 2 s (timeout) and the like, summed.",
        ]
        return write_sheet("pools", "Connections to nodes", intro, field, facts, tables, bounds, options)


def _measured(field, place, connections, seconds):
    node = field.nodes[place.name]

    def run():
        load.wrk(field.bench, place.url(PATH), connections, measure.SETTLE_S)
        node.mark()
        accepted = node.counts()["accepted"]
        resident = []
        looks = [(seconds * 0.7, lambda: resident.append(procfs.memory_kib(place.pid)[0]))]
        result = measure.costs(field.bench, place, False, lambda: load.wrk(field.bench, place.url(PATH), connections, seconds, looks=looks))
        counts = node.counts()
        # A refusal is quickly made: it is no request that was served, and its cost is that of the others.
        right = max(1, result["requests"] - result["errors"]["status"])
        result["rps"] *= right / max(1, result["requests"])
        result["cpu_us_per_request"] = result["cpu_us"] / right
        return {**result, "rss_kib": resident[-1], "node_connections": counts["open_max"], "node_opened": counts["accepted"] - accepted}

    return field.attempted(place, f"{connections} clients", run)


def _summary(runs, plan, order):
    summary = summarise(runs, TUNED)
    columns = ["proxy", "CPU µs/right answer", "× tuned Sigma", "right answers/s", "p50 ms", "p99 ms", "connections to the node", "opened", "busy %", "RSS MiB", "errors"]
    tables, bounds = [], []
    for delay_ms in plan.delays:
        for connections in plan.connections:
            case = f"{delay_ms} ms, {connections:,} clients"
            rows = {name: summary[name, case] for name in order if (name, case) in summary}
            cells = [_row(name, row, [run for run in runs if (run["proxy"], run["case"]) == (name, case)]) for name, row in rows.items()]
            tables.append((f"A node that takes {case}", columns, cells))
            bounds += _bounds(case, delay_ms, rows)
    return tables, bounds


def _row(name, row, runs):
    return [
        name,
        report.number(row["cpu_us_per_request"], 2),
        report.number(row["cpu_us_per_request_ratio"], 2),
        f"{row['rps']:,.0f}",
        report.millis(row["p50_us"]),
        report.millis(row["p99_us"]),
        max(run["node_connections"] for run in runs),
        max(run["node_opened"] for run in runs),
        f"{report.percent(row['proxy_core_busy'])} / {report.percent(row['load_core_busy'])}",
        report.number(row["rss_kib"] / 1024, 0),
        report.errors(row["errors"]),
    ]


def _bounds(case, delay_ms, rows):
    sigma = rows.get(DEFAULTS)
    if not sigma:
        return
    count = sum(sigma["errors"].values())
    yield f"{case}: errors ({DEFAULTS})", str(count), "0", count == 0
    ratio = sigma["cpu_us_per_request_ratio"]
    if delay_ms < WAITING_FROM_MS and ratio is not None:
        yield f"{case}: CPU per request, × {TUNED} ({DEFAULTS})", f"{ratio:.2f}", f"<= {CPU_TIMES_MAX}", ratio <= CPU_TIMES_MAX
    peers = {name: row["rps"] for name, row in rows.items() if not name.startswith("Sigma")}
    if delay_ms >= WAITING_FROM_MS and peers:
        best = max(peers, key=peers.get)
        least = RPS_SHARE_MIN * peers[best]
        yield f"{case}: right answers/s, {RPS_SHARE_MIN} × {best}'s ({DEFAULTS})", f"{sigma['rps']:,.0f}", f">= {least:,.0f}", sigma["rps"] >= least
