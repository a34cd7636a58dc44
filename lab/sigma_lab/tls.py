"""TLS of clients: keep-alive at the main road's numbers of connections, large answers, handshakes, and what idle connections cost."""

import re
import subprocess
import time
from types import SimpleNamespace

from . import bounds, chart, load, machine, measure, procfs, report
from .alloc import allocated, with_wrk
from .bench import Bench, LabError
from .client import Connection
from .field import PlainField, in_turn, require_programs, wanted
from .jvm import AllocationProbe
from .programs import first_line
from .results import output_folder, write
from .summary import summarise
from .tls_peers import KINDS, Certificate, secure_proxies
from .verify import UPSTREAM_PATH

QUICK = SimpleNamespace(connections=[64, 2000], rounds=1, seconds=1, warm_up_s=1, idle_connections=200)
LARGE_PATH = "/1m"
LARGE_CONNECTIONS = 64
# So many of openssl's clients, each with one handshake after the other.
SHAKERS = 4
MODES = {"full": "-new", "resumed": "-reuse"}
TIDY_S = 2
ALLOCATING_CONNECTIONS = 256
# Within which the most connections have had their handshakes.
SETTLE_S = 4
# Some keep the connections of HTTP/1.0, too: openssl asks for `GET PATH HTTP/1.0`, so that the path can end its own line.
CLOSING_PATH = f"{UPSTREAM_PATH} HTTP/1.0\r\nConnection: close\r\nX:"


def tls(options):
    """Runs the experiment and writes tls.json, tls.md and tls.svg; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx", "openssl")
    plan = QUICK if options.quick else options
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = PlainField(bench, options, wanted(secure_proxies(Certificate(bench.folder, "ECDSA"), options.sigma), options.only))
        places = field.start_all()
        field.warm_up(places, plan, UPSTREAM_PATH)
        runs = _keep_alive(bench, field, places, plan)
        runs += _large(field, places, plan)
        shakes = _handshakes(bench, field, places, plan, "ECDSA")
        heap = _allocations(bench, field, places, plan)
        field.stop_all(places)
        idle = _idle(bench, field, plan.idle_connections)
        of_rsa = secure_proxies(Certificate(bench.folder, "RSA"), options.sigma)
        other = PlainField(bench, options, wanted(of_rsa, options.only), field.upstream)
        started = other.start_all()
        # These are processes of their own, which the load before has not warmed.
        other.warm_up(started, plan, UPSTREAM_PATH)
        shakes += _handshakes(bench, other, started, plan, "RSA")
        document = {
            "kind": "tls",
            "machine": facts,
            "versions": {**field.versions, **machine.versions(), "OpenSSL": first_line(["openssl", "version"])},
            "plan": {key: getattr(plan, key) for key in ("connections", "rounds", "seconds", "warm_up_s", "idle_connections")},
            "left_out": {**other.left_out, **field.left_out},
            "verified": field.verified,
            "order": [place.name for place in places],
            "runs": runs,
            "handshakes": shakes,
            "idle": idle,
            "allocated": heap,
        }
    return write(document, page, output_folder(options), options.check)


def _keep_alive(bench, field, places, plan):
    runs = []
    for number, connections, place in in_turn(plan.rounds, plan.connections, places):
        result = field.attempted(place, f"{connections} connections", lambda: _standing(bench, field, place, connections, plan.seconds))
        if result:
            runs.append({"proxy": place.name, "connections": connections, "round": number, **result})
            print(report.run_line(runs[-1]), flush=True)
    return runs


def _standing(bench, field, place, connections, seconds):
    """What requests cost on connections that stand: those of their handshakes are counted elsewhere."""
    window = measure.Window(bench, place, SETTLE_S, seconds, field.upstream.answered)
    result = load.wrk(bench, place.url(UPSTREAM_PATH), connections, seconds + 2 * SETTLE_S, looks=window.times)
    window.add_costs(result, window.counted())
    return result


def _large(field, places, plan):
    case = f"1 MiB answers, {LARGE_CONNECTIONS} connections"
    runs = []
    for number, _, place in in_turn(plan.rounds, [LARGE_CONNECTIONS], places):
        result = field.measured(place, LARGE_CONNECTIONS, plan.seconds, path=LARGE_PATH)
        if result:
            runs.append({"proxy": place.name, "case": case, "connections": LARGE_CONNECTIONS, "round": number, **result})
            print(report.run_line(runs[-1]), flush=True)
    return runs


def _handshakes(bench, field, places, plan, kind):
    """One handshake after the other from a few clients; what each costs the proxy."""
    shakes = []
    for place in places:
        _shake(bench, place, "-new", max(1, plan.warm_up_s // 4))
    for number, mode, place in in_turn(plan.rounds, list(MODES), places):
        found = field.attempted(place, f"{mode} handshakes", lambda: _shake(bench, place, MODES[mode], plan.seconds))
        if found:
            shakes.append({"proxy": place.name, "key": kind, "mode": mode, "round": number, **found})
            cost = found["cpu_us"] / max(1, found["handshakes"])
            print(f"round {number}  {kind} {mode:<8} {place.name:<24} {found['handshakes']:>7,} {cost:8.1f} µs CPU each", flush=True)
    return shakes


def _shake(bench, place, mode, seconds):
    command = ["openssl", "s_time", "-connect", f"127.0.0.1:{place.port}", mode, "-time", seconds, "-www", CLOSING_PATH]
    before = procfs.usage(place.pid)
    began = time.monotonic()
    shakers = [bench.start(f"s_time-{number}", command, bench.load_core) for number in range(SHAKERS)]
    count = 0
    for shaker in shakers:
        try:
            shaker.popen.wait(seconds + 20)
        except subprocess.TimeoutExpired:
            raise LabError(f"openssl s_time {mode} did not end") from None
        finally:
            bench.stop(shaker)
        found = re.findall(r"(\d+) connections in \d+ real seconds", shaker.log_tail(3))
        if not found:
            raise LabError(f"openssl s_time {mode} failed with {shaker.popen.returncode}\n{shaker.log_tail(3)[-300:]}")
        count += int(found[-1])
    duration_s = time.monotonic() - began
    return {"handshakes": count, "duration_s": duration_s, "cpu_us": procfs.usage(place.pid).cpu_us - before.cpu_us}


def _allocations(bench, field, places, plan):
    """[(Sigma, connections, heap bytes that an event loop allocates for a request)]."""
    rows = []
    for place in (place for place in places if place.name.startswith("Sigma")):
        with AllocationProbe(place.pid) as probe:
            requests, loops, *_ = allocated(field, probe, plan.seconds, with_wrk(bench, place, ALLOCATING_CONNECTIONS, UPSTREAM_PATH))
        rows.append({"proxy": place.name, "connections": ALLOCATING_CONNECTIONS, "bytes": sum(loops.values()) / requests})
        print(f"{place.name}: {rows[-1]['bytes']:.1f} bytes/request", flush=True)
    return rows


def _idle(bench, field, count):
    """[(proxy, KiB of RSS for each idle connection)], each proxy started anew."""
    rows = []
    for proxy in field.proxies:
        place = field.start(proxy, check=False)
        if not place:
            continue
        load.wrk(bench, place.url(UPSTREAM_PATH), _warming(count), TIDY_S)
        row = field.attempted(place, "idle connections", lambda: _resident(place, count))
        if row:
            rows.append(row)
            print(f"idle: {row['proxy']}: {row['kib']:.1f} KiB each", flush=True)
        bench.stop(place.started)
    return rows


def _warming(count):
    """Warms up with a tenth of them, so that the program's own growth isn't taken for theirs."""
    return max(1, count // 10)


def _resident(place, count):
    before = procfs.resident_kib(place.pid)
    connections = []
    try:
        for _ in range(count):
            connections.append(Connection(place.port, encrypted=True))
            connections[-1].get(UPSTREAM_PATH)
        time.sleep(TIDY_S)
        after = procfs.resident_kib(place.pid)
    finally:
        for connection in connections:
            connection.close()
    return {"proxy": place.name, "kib": (after - before) / count, "rss_kib": after}


def page(document, json_path):
    """The Markdown, and whether a bound is missed."""
    summary = summarise(document["runs"])
    plan = document["plan"]
    image = json_path.with_suffix(".svg")
    image.write_text(chart.road_chart(document["order"], plan["connections"], summary))
    intro = [
        "Clients over TLS 1.3, nodes over plain HTTP/1.1; nothing is rewritten, small JSON answers, an ECDSA certificate on P-256 where nothing else is said.",
        "One proxy thread on one core; load (wrk, openssl) and upstream (nginx) on another. CPU is utime + stime of all of the proxy's processes;",
        "the cost of keep-alive is that of requests on connections that stand, their handshakes have a table of their own;",
        f"medians over interleaved rounds ({plan['rounds']}, runs of {plan['seconds']} s), ratios taken within each round. Sigma defaults: nothing set but a route, the",
        "certificate and the transport.",
        "",
        f"![CPU time per request and requests per second]({image.name})",
    ]
    lines = report.page("TLS", document, intro)
    for case in [*plan["connections"], *dict.fromkeys(run["case"] for run in document["runs"] if "case" in run)]:
        rows = report.table(document["order"], case, summary)
        if len(rows) > report.HEAD_LINES:
            lines += [f"## {case if isinstance(case, str) else f'{case:,} connections, keep-alive'}", "", *rows]
    shakes = _shake_costs(document["handshakes"])
    lines += [
        "## Handshakes",
        "",
        f"CPU time of the proxy for a connection with a handshake and one request, µs; {SHAKERS} of openssl's `s_time`. Resumed: with a ticket.",
        "",
        *_shake_table(document["order"], shakes),
        "## Idle connections",
        "",
        f"{plan['idle_connections']:,} connections, each idle after one request; growth of RSS, KiB each.",
        "",
        "| proxy | KiB each | RSS with them, MiB |",
        "|---|---:|---:|",
        *(f"| {row['proxy']} | {row['kib']:.1f} | {row['rss_kib'] / 1024:.0f} |" for row in document["idle"]),
        "",
    ]
    lines += [
        "## Allocation",
        "",
        "Heap bytes that event loops allocate for a request, as [alloc](alloc.md) counts them.",
        "",
        "| proxy | connections | bytes/request |",
        "|---|---:|---:|",
        *(f"| {row['proxy']} | {row['connections']} | {row['bytes']:.1f} |" for row in document["allocated"]),
        "",
    ]
    rows = bounds.tls_bounds(summary, shakes, document["idle"], document["allocated"])
    if rows:
        lines += ["## Bounds", "", *report.bounds_table(rows)]
    lines += report.warnings(document["runs"], summary)
    return "\n".join(lines), any(not met for *_, met in rows)


def _shake_costs(shakes):
    """{(proxy, kind of handshake): CPU µs of one}: of all rounds together."""
    sums = {}
    for shake in shakes:
        count, cpu_us = sums.get((shake["proxy"], f"{shake['key']}, {shake['mode']}"), (0, 0))
        sums[shake["proxy"], f"{shake['key']}, {shake['mode']}"] = count + shake["handshakes"], cpu_us + shake["cpu_us"]
    return {key: cpu_us / count for key, (count, cpu_us) in sums.items() if count}


def _shake_table(order, shakes):
    kinds = [f"{key}, {mode}" for key in KINDS for mode in MODES]
    lines = ["| proxy | " + " | ".join(kinds) + " |", "|---|" + "---:|" * len(kinds)]
    for name in order:
        lines.append(f"| {name} | " + " | ".join(report.number(shakes.get((name, kind)), 0) for kind in kinds) + " |")
    return lines + [""]
