"""Calls of Bolt in `route` mode beside HTTP/1.1, where a connection has one request at a time: the same number of them under way."""

import json
from statistics import median
from types import SimpleNamespace

from . import machine, measure, procfs
from .bench import LAB_DIR, Bench, LabError
from .field import Field, in_turn, require_programs, wanted
from .layer4 import TcpSigma
from .programs import Place
from .sheet import write_sheet
from .sigma import TRANSPORTS, sigmas
from .verify import listening

UNDER_WAY = 256
# How they are spread: connections, and calls on each.
PIPELINED, ONE_EACH = (8, 32), (256, 1)
RATIO_MIN = 3.0
END_TIMEOUT_S = 30
_PROGRAM = LAB_DIR / "src/main/java/net/oooops/sigma/lab/BoltCalls.java"


def calls(options):
    """Runs the experiment and writes calls.json and .md; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx")
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        http = Field(bench, options, wanted(sigmas(options.sigma), options.only))
        http_places = http.start_all()
        java = procfs.executable(http_places[0].pid).parent / "java"
        bolt = _Bolt(bench, options, java)
        bolt_places = bolt.start_all()
        http.warm_up(http_places, SimpleNamespace(connections=[UNDER_WAY], warm_up_s=options.warm_up_s))
        for place in bolt_places:
            for spread in (PIPELINED, ONE_EACH):
                bolt.loaded(place, spread, max(1, options.warm_up_s // 2))
            print(f"warm: {place.name}", flush=True)
        runs = []
        entrants = [(http, place, None) for place in http_places]
        entrants += [(bolt, place, spread) for place in bolt_places for spread in (PIPELINED, ONE_EACH)]
        for number, seconds, (field, place, spread) in in_turn(options.rounds, [options.seconds], entrants):
            result = http.measured(place, UNDER_WAY, seconds) if field is http else field.loaded(place, spread, seconds)
            if result:
                runs.append({"place": place.name, "spread": spread, "round": number, **result})
                cost = f"{result['rps']:>9,.0f}/s {result['cpu_us_per_request']:6.2f} µs CPU"
                print(f"round {number}  {_title(place.name, spread):<42} {cost}", flush=True)
        http.stop_all(http_places)
        bolt.stop_all(bolt_places)
        rows, bounds = _summary(runs)
        intro = [
            f"{UNDER_WAY} requests under way at a time through one core of Sigma: HTTP/1.1, one request on a connection (wrk, `/test/*` rewritten, nginx that",
            "answers from memory), and Bolt in `route` mode, each call routed and balanced by itself, with many calls on a few connections and with one call",
            "on each (`BoltCalls.java`, both ends). The same JSON of 40 bytes is HTTP's answer, and Bolt's request and answer. Medians over interleaved rounds",
            f"({options.rounds}, runs of {options.seconds} s); ratios within each round. Many calls that come with one read are passed on with one write: that is what",
            "HTTP/1.1 can't do.",
        ]
        columns = ["", "calls/s", "CPU µs/call", "calls per CPU second, × HTTP/1.1", "RSS MiB", "errors"]
        tables = [(f"{UNDER_WAY} under way", columns, rows)]
        return write_sheet("calls", "Calls of Bolt and HTTP/1.1", intro, bolt, facts, tables, bounds, options)


class _Bolt(Field):
    """Sigma in front of an upstream that answers every call with its own content."""

    def __init__(self, bench, options, java):
        self._java = java
        port = bench.free_port()
        started = bench.start("bolt-answers", [java, _PROGRAM, "echo", port], bench.load_core)
        proxies = [TcpSigma(transport, options.sigma, "route") for transport in TRANSPORTS]
        only = options.only and options.only.replace("sigma", "sigma route")
        super().__init__(bench, options, wanted(proxies, only), SimpleNamespace(place=Place("direct", port, started)))
        bench.await_true(started, lambda: "ready" in started.log_path.read_text(), "listening")

    def loaded(self, place, spread, seconds):
        """One run of the load, with what it cost."""


        def run():
            return measure.costs(self.bench, place, False, lambda: self._load(place, spread, seconds))

        return self.attempted(place, _title(place.name, spread), run)

    def _load(self, place, spread, seconds):
        connections, calls_each = spread
        command = [self._java, _PROGRAM, "load", place.port, connections, calls_each, seconds]
        started = self.bench.start(f"bolt-calls-{place.port}", command, self.bench.load_core)
        try:
            started.popen.wait(seconds + END_TIMEOUT_S)
        finally:
            self.bench.stop(started)
        if started.popen.returncode != 0:
            raise LabError(f"BoltCalls ended with {started.popen.returncode}\n{started.log_tail()}")
        result = json.loads(started.log_tail(1))
        return {**result, "rps": result["requests"] * 1e6 / result["duration_us"], "rss_kib": procfs.memory_kib(place.pid)[0]}

    def _verify(self, place, check):
        listening(self.bench, place)
        if check:
            result = self._load(place, (1, 1), 1)
            if result["requests"] == 0 or any(result["errors"].values()):
                raise LabError(f"{place.name}: {result} (expected: calls and no errors)")


def _title(name, spread):
    return f"{name}, {spread[0]} connections × {spread[1]}" if spread else f"{name}, HTTP/1.1, {UNDER_WAY} connections"


def _summary(runs):
    """The rows of the table, and the bounds."""
    http = {(run["place"], run["round"]): run for run in runs if not run["spread"]}
    groups = {}
    for run in runs:
        groups.setdefault((run["place"], run["spread"]), []).append(run)
    rows, bounds = [], []
    for (name, spread), group in groups.items():
        transport = name.split()[-1]
        ratios = [
            http[f"Sigma {transport}", run["round"]]["cpu_us_per_request"] / run["cpu_us_per_request"]
            for run in group
            if (f"Sigma {transport}", run["round"]) in http
        ]
        ratio = median(ratios) if ratios else None
        rows.append(
            [
                _title(name, spread),
                f"{median(run['rps'] for run in group):,.0f}",
                f"{median(run['cpu_us_per_request'] for run in group):.2f}",
                f"{ratio:.2f}" if ratio else None,
                median(run["rss_kib"] for run in group) / 1024,
                str(sum(sum(run["errors"].values()) for run in group)),
            ]
        )
        if spread == PIPELINED and ratio:
            what = f"calls per CPU second, × HTTP/1.1 ({_title(name, spread)})"
            bounds.append((what, f"{ratio:.2f}", f">= {RATIO_MIN}", ratio >= RATIO_MIN))
    return rows, bounds
