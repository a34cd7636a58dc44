"""Sessions of TCP beside other proxies: small requests over many of them, and bulk through one."""

import os
import socket
import threading
import time
from statistics import median
from types import SimpleNamespace

from . import chart, layer4, machine, procfs, report, verify
from .bench import Bench
from .field import Field, PlainField, in_turn, require_programs, wanted
from .programs import Place
from .results import output_folder, write
from .summary import summarise
from .verify import UPSTREAM_PATH

QUICK = SimpleNamespace(connections=[64], rounds=1, seconds=1, warm_up_s=1)
REFERENCE = "HAProxy"
SMALL = "small requests"
BULK = "bulk, one session"
WRITE_BYTES = 1 << 20
RATIO_MAX = {256: 1.10, 2000: 1.0}
CHEAPER_THAN = ("nginx", "Envoy", "MOSN")
SINK_BUFFER_BYTES = 1 << 20


def sessions(options):
    """Runs the experiment and writes sessions.json, .md and .svg; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx")
    plan = QUICK if options.quick else options
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        parts = [_Small(bench, options, plan), _Bulk(bench, options, plan)]
        runs = [run for part in parts for run in part.runs()]
        document = {
            "kind": "sessions",
            "machine": facts,
            "versions": {**parts[0].versions, **machine.versions()},
            "plan": {key: getattr(plan, key) for key in ("connections", "rounds", "seconds", "warm_up_s")},
            "left_out": {**parts[0].left_out, **parts[1].left_out},
            "verified": parts[0].verified,
            "order": ["direct", *dict.fromkeys(proxy.name for part in parts for proxy in part.proxies)],
            "runs": runs,
        }
    return write(document, page, output_folder(options), options.check)


class _Small(PlainField):
    """One small HTTP request after the other on every session; the proxies don't know that it is HTTP."""

    def __init__(self, bench, options, plan):
        super().__init__(bench, options, wanted(layer4.tcp_proxies(options.sigma), options.only))
        self._plan = plan

    def runs(self):
        places = self.start_all()
        self.warm_up(places, self._plan, UPSTREAM_PATH)
        entrants = [self.upstream.place, *places]
        runs = [{**run, "case": SMALL} for run in self.runs_in_turn(entrants, self._plan, path=UPSTREAM_PATH)]
        self.stop_all(places)
        return runs


class _Bulk(Field):
    """One session, 1 MiB with each write, towards an upstream that throws all away."""

    def __init__(self, bench, options, plan):
        proxies = layer4.tcp_proxies(options.sigma) + [layer4.SplicingHAProxy()]
        self._sink = Sink(bench)
        super().__init__(bench, options, wanted(proxies, options.only), self._sink)
        self._plan = plan

    def _verify(self, place, check):
        verify.listening(self.bench, place)
        if check:
            before = self._sink.taken
            _send(place.port, 0.05)
            self.bench.await_true(place.started, lambda: self._sink.taken > before, "passing bytes")

    def runs(self):
        plan = self._plan
        places = self.start_all()
        for place in places:
            _send(place.port, plan.warm_up_s / 2)
        entrants = [self._sink.place, *places]
        runs = []
        for number, case, place in in_turn(plan.rounds, [BULK], entrants):
            result = self.attempted(place, case, lambda: self._pushed(place))
            if result:
                runs.append({"proxy": place.name, "case": case, "connections": 1, "round": number, **result})
                cost = f"{result['mib_per_cpu_s']:8,.0f} MiB/CPU s" if "mib_per_cpu_s" in result else ""
                print(f"round {number}  {case}  {place.name:<18} {result['mib_per_s']:8,.0f} MiB/s {cost}", flush=True)
        self.stop_all(places)
        self._sink.close()
        return runs

    def _pushed(self, place):
        direct = place is self._sink.place
        used = None if direct else procfs.usage(place.pid)
        taken = self._sink.taken
        duration_s = _send(place.port, self._plan.seconds)
        mib = self._sink.settled(taken) / (1 << 20)
        result = {"mib_per_s": mib / duration_s, "mib": mib, "rss_kib": None, "errors": {}}
        if not direct:
            after = procfs.usage(place.pid)
            result["cpu_s"] = (after.cpu_us - used.cpu_us) / 1e6
            result["mib_per_cpu_s"] = mib / max(1e-6, result["cpu_s"])
            result["rss_kib"] = procfs.memory_kib(place.pid)[0]
        return result


class Sink:
    """An upstream within the lab itself, on the load's core: counts what comes and throws it away."""

    def __init__(self, bench):
        self.taken = 0
        self._listening = socket.create_server(("127.0.0.1", bench.free_port()), backlog=64)
        self.place = Place("direct", self._listening.getsockname()[1], SimpleNamespace(pid=os.getpid(), log_tail=lambda: ""))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._take, args=(connection,), daemon=True).start()

    def _take(self, connection):
        buffer = bytearray(SINK_BUFFER_BYTES)
        with connection:
            try:
                count = connection.recv_into(buffer)
                while count:
                    self.taken += count
                    count = connection.recv_into(buffer)
            except OSError:
                return

    def settled(self, before):
        """How much came since, once nothing more does."""
        last = -1
        while last != self.taken:
            last = self.taken
            time.sleep(0.1)
        return last - before

    def close(self):
        self._listening.close()


def _send(port, seconds):
    """Writes 1 MiB after the other for so long, ends the session and returns how long it took until the last byte was taken over."""
    chunk = bytes(WRITE_BYTES)
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            client.sendall(chunk)
        client.shutdown(socket.SHUT_WR)
        client.settimeout(10)
        # The other side ends when it has everything.
        while client.recv(1):
            pass
        return time.monotonic() - began


def page(document, json_path):
    """The Markdown, and whether a bound is missed."""
    plan = document["plan"]
    small = [{key: value for key, value in run.items() if key != "case"} for run in document["runs"] if run["case"] == SMALL]
    bulk = [run for run in document["runs"] if run["case"] == BULK]
    summary = summarise(small, REFERENCE)
    image = json_path.with_suffix(".svg")
    order = [name for name in document["order"] if any(key[0] == name for key in summary)]
    image.write_text(chart.road_chart(order, plan["connections"], summary))
    intro = [
        "Layer 4: bytes of each client connection on a connection of its own to the upstream, one proxy thread on one core; load and upstream on another.",
        f"Medians over interleaved rounds ({plan['rounds']}, runs of {plan['seconds']} s), ratios taken within each round. Small requests: wrk, keep-alive, and nginx that",
        "answers from memory. Bulk: one session, 1 MiB with each write, towards a program that throws it away; HAProxy also with splice.",
        "",
        f"![CPU time per request and requests per second]({image.name})",
    ]
    lines = report.page("Sessions of TCP", document, intro)
    for connections in plan["connections"]:
        lines += [f"## {connections:,} sessions", "", *report.table(order, connections, summary, _columns())]
    rates = {name: _medians(bulk, name) for name in dict.fromkeys(run["proxy"] for run in bulk)}
    lines += ["## Bulk through one session", "", "| | MiB/s | MiB per CPU second | RSS MiB |", "|---|---:|---:|---:|"]
    for name, (rate, efficiency, rss) in rates.items():
        lines.append(f"| {name} | {report.number(rate, 0)} | {report.number(efficiency, 0)} | {report.number(rss, 0)} |")
    rows = [*_small_bounds(plan["connections"], summary), *_bulk_bounds(rates)]
    if rows:
        lines += ["", "## Bounds", "", *report.bounds_table(rows)]
    lines += report.warnings(small, {})
    return "\n".join(lines), any(not met for *_, met in rows)


def _columns():
    return tuple((title.replace("nginx", REFERENCE), shown) for title, shown in report.COLUMNS)


def _medians(runs, name):
    def of(field, scale=1.0):
        values = [run[field] * scale for run in runs if run["proxy"] == name and run.get(field) is not None]
        return median(values) if values else None

    return of("mib_per_s"), of("mib_per_cpu_s"), of("rss_kib", 1 / 1024) if name != "direct" else None


def _best(names, cost):
    known = [name for name in names if cost(name) is not None]
    return min(known, key=cost) if known else None


def _small_bounds(all_connections, summary):
    for connections in all_connections:

        def cost(name):
            row = summary.get((name, connections))
            return row and row["cpu_us_per_request"]

        best = _best(sorted({name for name, _ in summary if name.startswith("Sigma")}), cost)
        if not best:
            continue
        ratio = summary[best, connections]["cpu_us_per_request_ratio"]
        if connections in RATIO_MAX and ratio is not None:
            bound = RATIO_MAX[connections]
            yield f"CPU per request at {connections}, × {REFERENCE} ({best})", f"{ratio:.2f}", f"<= {bound:.2f}", ratio <= bound
        for peer in CHEAPER_THAN:
            limit = cost(peer)
            if limit is not None:
                yield f"CPU µs per request at {connections}, below {peer} ({best})", f"{cost(best):.2f}", f"< {limit:.2f}", cost(best) < limit
        envoy = summary.get(("Envoy", connections))
        if envoy:
            found, limit = summary[best, connections]["rss_kib"] / 1024, envoy["rss_kib"] / 1024
            yield f"RSS MiB at {connections}, below Envoy ({best})", f"{found:.0f}", f"< {limit:.0f}", found < limit


def _bulk_bounds(rates):
    def efficiency(name):
        return rates[name][1]

    sigmas = [name for name in rates if name.startswith("Sigma") and efficiency(name)]
    haproxies = [name for name in rates if name.startswith(REFERENCE) and efficiency(name)]
    if sigmas and haproxies:
        best, limit = max(sigmas, key=efficiency), max(haproxies, key=efficiency)
        met = efficiency(best) >= efficiency(limit)
        yield f"bulk, MiB per CPU second ({best}), {limit}'s", f"{efficiency(best):,.0f}", f">= {efficiency(limit):,.0f}", met
