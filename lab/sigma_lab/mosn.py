"""As MOSN's report of version 0.1.0 compared it with Envoy: HTTP/1.1 and Bolt with 1 KiB through one core of a TCP proxy."""

import time
from types import SimpleNamespace

from . import bolt, chart, layer4, machine, measure, procfs, report, verify
from .bench import Bench, LabError
from .client import Connection
from .field import Field, in_turn, require_programs, wanted
from .load import Ab
from .nginx import BODY
from .results import output_folder, write
from .summary import summarise

QUICK = SimpleNamespace(connections=[20, 220], callers=[40], rounds=1, seconds=1, warm_up_s=2)
PATH = "/tcp_bench"
PAYLOAD = b"x" * bolt.PAYLOAD_BYTES
REQUESTS_MAX = 1_000_000
SETTLE_S = 1
# When memory is looked at, as a share of the run.
LOOK_SHARE = 0.7
REFERENCE = "Envoy"

_COLUMNS = (
    ("QPS", lambda row: f"{row['rps']:,.0f}"),
    ("RT mean ms", lambda row: report.millis(row["mean_us"])),
    ("P95 ms", lambda row: report.millis(row["p95_us"])),
    ("P98 ms", lambda row: report.millis(row["p98_us"])),
    ("P99 ms", lambda row: report.millis(row["p99_us"])),
    ("RSS MiB", lambda row: report.number(row["rss_kib"] and row["rss_kib"] / 1024, 0)),
    ("CPU µs/request", lambda row: report.number(row["cpu_us_per_request"], 2)),
    (f"× {REFERENCE}", lambda row: report.number(row["cpu_us_per_request_ratio"], 2)),
    ("± %", lambda row: report.number(row["spread"] and 50 * row["spread"], 0)),
    ("busy %", lambda row: f"{report.percent(row['proxy_core_busy'])} / {report.percent(row['load_core_busy'])}"),
    ("failures", lambda row: report.errors(row["errors"])),
)


def mosn(options):
    """Runs the experiment and writes mosn.json, mosn.md and mosn.svg; returns the exit code."""
    require_programs("taskset", "ab", "nginx")
    plan = QUICK if options.quick else options
    chosen = wanted(layer4.bolt_proxies(options.sigma), options.only)
    programs = bolt.Programs(options.sigma)
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        parts = [_HttpPart(bench, options, chosen, plan), _BoltPart(bench, options, chosen, plan, programs)]
        runs = [run for part in parts for run in part.runs()]
        document = {
            "kind": "mosn",
            "machine": facts,
            "versions": {**_merged(parts, "versions"), **machine.versions(), "SOFABolt": programs.version},
            "plan": {key: getattr(plan, key) for key in ("connections", "callers", "rounds", "seconds", "warm_up_s")},
            "left_out": _merged(parts, "left_out"),
            "verified": _merged(parts, "verified"),
            "order": ["direct", *(proxy.name for proxy in chosen)],
            "runs": runs,
        }
    return write(document, page, output_folder(options), options.check)


class _HttpPart(Field):
    """POST of 1 KiB by ab, over proxies that don't know that it is HTTP."""

    title = "HTTP/1.1 POST of 1 KiB"

    def __init__(self, bench, options, chosen, plan):
        super().__init__(bench, options, [proxy for proxy in chosen if getattr(proxy, "mode", "tcp") == "tcp"])
        self._plan = plan
        self._body = bench.folder / "1k.txt"
        self._body.write_bytes(PAYLOAD)

    def runs(self):
        """Everything that was measured, in the order of time."""
        plan = self._plan
        if not self.proxies:
            return []
        cases = {count: f"{self.title}, {count} connections" for count in plan.connections}
        return _interleaved(self, cases, plan)

    def loaded(self, place, connections, seconds):
        """One run of the load, with what it cost."""

        def run():
            words = ["-t", seconds, "-n", REQUESTS_MAX, "-c", connections, "-p", self._body, "-T", "text/plain"]
            running = Ab(self.bench, place.url(PATH), words, seconds + 30)
            time.sleep(seconds * LOOK_SHARE)
            rss_kib = procfs.memory_kib(place.pid)[0]
            return {**running.finish(), "rss_kib": rss_kib}

        return measure.costs(self.bench, place, place is self.upstream.place, run)

    def _verify(self, place, check):
        verify.listening(self.bench, place)
        if check:
            with Connection(place.port) as connection:
                for _ in range(2):
                    answer = connection.post(PATH, PAYLOAD)
                    if (answer.status, answer.body) != (200, BODY):
                        raise LabError(f"{place.name}: answer: {answer} (expected: 200, {BODY})")
            self.verified[place.name] = {"http": "two answers on one connection"}


class _BoltPart(Field):
    """Calls of SOFABolt with 1 KiB, over the same proxies, and over Sigma where it reads Bolt."""

    title = "Bolt with 1 KiB"

    def __init__(self, bench, options, chosen, plan, programs):
        super().__init__(bench, options, chosen, bolt.Echo(bench, programs))
        self._plan = plan
        self._load = bolt.Load(bench, programs)

    def runs(self):
        """Everything that was measured, in the order of time."""
        plan = self._plan
        self.loaded(self.upstream.place, max(plan.callers), plan.warm_up_s)
        cases = {count: f"{self.title}, {count} callers on {bolt.CONNECTIONS} connections" for count in plan.callers}
        return _interleaved(self, cases, plan)

    def loaded(self, place, callers, seconds):
        """One run of the load, with what it cost."""

        def run():
            self._load.ask(place.port, callers, seconds)
            time.sleep(seconds * LOOK_SHARE)
            rss_kib = procfs.memory_kib(place.pid)[0]
            return {**self._load.answer(), "rss_kib": rss_kib}

        return measure.costs(self.bench, place, place is self.upstream.place, run)

    def _verify(self, place, check):
        verify.listening(self.bench, place)
        if check:
            self._load.ask(place.port, bolt.CONNECTIONS, 1)
            result = self._load.answer()
            if any(result["errors"].values()):
                raise LabError(f"{place.name}: {report.errors(result['errors'])} of {result['requests']} calls (expected: 0)")
            self.verified.setdefault(place.name, {})["bolt"] = f"{result['requests']} callers' own texts"


def _interleaved(field, cases, plan):
    """Every case of every proxy in turn, several rounds, each run after a second of the same that is not counted."""
    places = [field.upstream.place, *field.start_all()]
    for place in places[1:]:
        field.attempted(place, "warm-up", lambda: field.loaded(place, max(cases), max(1, plan.warm_up_s // 2)))
        print(f"warm: {place.name}", flush=True)
    runs = []
    for number, count, place in in_turn(plan.rounds, cases, places):

        def run():
            field.loaded(place, count, SETTLE_S)
            return field.loaded(place, count, plan.seconds)

        result = field.attempted(place, cases[count], run)
        if result:
            runs.append({"proxy": place.name, "case": cases[count], "connections": count, "round": number, **result})
            print(report.run_line(runs[-1]), flush=True)
    field.stop_all(places[1:])
    return runs


def _merged(parts, name):
    """What the parts say, by proxy."""
    found = {}
    for part in parts:
        for key, value in getattr(part, name).items():
            found[key] = {**found[key], **value} if isinstance(value, dict) and key in found else value
    return found


def page(document, json_path):
    """The Markdown of the result, beside its chart; no bounds."""
    summary = summarise(document["runs"], REFERENCE)
    cases = list(dict.fromkeys(run["case"] for run in document["runs"]))
    image = json_path.with_suffix(".svg")
    image.write_text(chart.chart(document["order"], {case: case for case in cases}, summary, "by protocol and concurrency"))
    plan = document["plan"]
    intro = [
        "The comparison of MOSN's report 0.1.0: 1 KiB up through a proxy that passes on TCP (or, where it says relay or route, reads Bolt), with",
        "one core for the proxy; load and upstream on another. HTTP/1.1: `ab -k`, and nginx that answers from memory. Bolt: callers of SOFABolt's",
        f"client, each answer compared with what was sent, and SOFABolt's server that echoes. Medians over interleaved rounds ({plan['rounds']}, runs of",
        f"{plan['seconds']} s); CPU is utime + stime of all of the proxy's processes, per answered request; ratios taken within each round.",
        "",
        f"![CPU time per request and requests per second]({image.name})",
    ]
    lines = report.page("MOSN's comparison", document, intro)
    lines += [finding for part in (_HttpPart, _BoltPart) for finding in _finding(part.title, document["order"], cases, summary)]
    for case in cases:
        lines += [f"## {case}", "", *report.table(document["order"], case, summary, _COLUMNS)]
    lines += report.warnings(document["runs"], summary)
    return "\n".join(lines), False


def _finding(title, order, cases, summary):
    """One sentence on the last case of a part: what each proxy's request cost, against the reference."""
    last = [case for case in cases if case.startswith(title)][-1:]
    for case in last:
        costs = {name: summary[name, case]["cpu_us_per_request_ratio"] for name in order if (name, case) in summary}
        others = {name: ratio for name, ratio in costs.items() if ratio and name != REFERENCE}
        if not others:
            return
        ranked = ", ".join(f"{name} {ratio:.2f}" for name, ratio in sorted(others.items(), key=lambda item: item[1]))
        direct = summary.get(("direct", case), {}).get("rps")
        least = min(summary[name, case]["rps"] for name in costs if name != "direct")
        share = f"; each passed on at least {100 * least / direct:.0f} % of what came through directly" if direct else ""
        yield f"**{case}:** CPU time per request, {REFERENCE}'s being 1: {ranked}{share}."
        yield ""
