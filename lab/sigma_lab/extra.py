"""Beside the main road: cold starts, big request headers, big answers, connections closed, each without and with access log."""

import os
from types import SimpleNamespace

from . import load, machine, measure, procfs, report, verify
from .bench import Bench
from .field import Field, require_programs
from .results import output_folder, write
from .summary import case_of, summarise

QUICK = SimpleNamespace(rounds=1, seconds=1, warm_up_s=1)
COLD_REQUESTS = 10_000
COLD_CONNECTIONS = 200

# name, path, kind of request (see lab.lua), connections
TRAFFIC = (
    ("small answers", measure.PATH, "plain", 256),
    ("2 KiB of request headers", measure.PATH, "browser-headers", 256),
    ("64 KiB answers", "/test/64k", "plain", 64),
    ("1 MiB answers", "/test/1m", "plain", 64),
    ("closed after each request", measure.PATH, "close", 256),
)


def extra(options):
    """Runs all scenarios and writes road-extra.json and .md; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx", "ab")
    plan = QUICK if options.quick else options
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options)
        runs = []
        for access_log in (False, True):
            runs += _warm_traffic(bench, field, plan, access_log)
            runs += _cold(bench, field, plan, access_log)
        document = {
            "kind": "road-extra",
            "machine": facts,
            "versions": {**field.versions, **machine.versions()},
            "plan": {key: getattr(plan, key) for key in ("rounds", "seconds", "warm_up_s")},
            "left_out": field.left_out,
            "verified": field.verified,
            "order": ["direct", *(proxy.name for proxy in field.proxies)],
            "runs": runs,
        }
    return write(document, page, output_folder(options))


def _warm_traffic(bench, field, plan, access_log):
    places = field.start_all(access_log)
    for place in places:
        load.wrk(bench, place.url(measure.PATH), 256, plan.warm_up_s)
    entrants = places if access_log else [field.upstream.place, *places]
    runs = []
    for number in range(plan.rounds):
        for name, path, kind, connections in TRAFFIC:
            for place in entrants:
                result = field.measured(place, connections, plan.seconds, path=path, kind=kind)
                _keep(runs, result, place.name, _case(name, connections, access_log), connections, number)
                _cut_logs(bench)
    field.stop_all(places)
    return runs


def _cold(bench, field, plan, access_log):
    """Each program is started anew for each round, and nothing but its first 200 goes before ab."""
    runs = []
    for number in range(plan.rounds):
        for proxy in field.proxies:
            place = field.start(proxy, access_log, check=False)
            if not place:
                continue
            used = procfs.usage(place.pid)
            result = load.ab(bench, place.url(verify.PATH), COLD_REQUESTS, COLD_CONNECTIONS)
            measure.add_costs(result, used, procfs.usage(place.pid))
            result["rss_kib"], result["rss_peak_kib"] = procfs.memory_kib(place.pid)
            if result["kept_alive"] < COLD_REQUESTS * 0.9:
                print(f"warning: {place.name} kept {result['kept_alive']} of {COLD_REQUESTS} of ab's connections alive")
            _keep(runs, result, place.name, _case("cold", COLD_CONNECTIONS, access_log), COLD_CONNECTIONS, number)
            bench.stop(place.started)
    return runs


def _cut_logs(bench):
    """Empties the access logs, which grow by some 10 MB a second, so that writing back to disk disturbs no later run."""
    for path in [*bench.folder.rglob("*access.log"), *bench.folder.glob("haproxy-*.log")]:
        os.truncate(path, 0)


def _keep(runs, result, proxy, case, connections, number):
    if result:
        runs.append({"proxy": proxy, "case": case, "connections": connections, "round": number + 1, **result})
        print(report.run_line(runs[-1]), flush=True)


def _case(name, connections, access_log):
    return f"{name}, {connections} connections, access log {'on' if access_log else 'off'}"


def page(document, _json_path):
    """The Markdown of the result; no bounds."""
    summary = summarise(document["runs"])
    intro = [
        "Other kinds of traffic, each with the access log off and on. Same machine, pinning and configuration as the main road.",
        f"Medians over rounds: {document['plan']['rounds']}. `cold` is `ab -n 10000 -c 200 -k` right after each program's first answer.",
    ]
    lines = report.page("Beside the main road", document, intro)
    for case in dict.fromkeys(case_of(run) for run in document["runs"]):
        lines += [f"## {case}", "", *report.table(document["order"], case, summary)]
    lines += report.warnings(document["runs"], summary)
    return "\n".join(lines), False
