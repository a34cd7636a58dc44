"""Thousands of slow clients beside honest ones that ask the same node: what the honest ones notice, and what memory it takes."""

import time
from statistics import median
from types import SimpleNamespace

from . import cluster, load, machine, procfs
from .bench import Bench
from .chaos import WARM_PATH
from .client import answers
from .field import Field, require_programs, wanted
from .results import output_folder
from .sheet import write_sheet
from .traffic import NS_PER_S, Cluster, Load, Node, SlowClients, build, share

HONEST, EVERY_MS, PATIENCE_S = 50, 25, 6
RATE = 600
WARM_CONNECTIONS = 256
LEAD_S = 0.3
SAMPLE_S = 0.5
P99_TIMES_MAX = 2.0
# What is less is nothing on a machine whose cores others use too.
P99_MS_MIN = 5.0
RSS_MIB_MAX = 256
QUICK = SimpleNamespace(clients=400, rounds=1, seconds=3, warm_up_s=1)


def slow_clients(options):
    """Runs the experiment and writes slow-clients.json and .md; returns the exit code."""
    require_programs("taskset", "wrk")
    build()
    plan = QUICK if options.quick else options
    options.out = output_folder(options)
    usual, named = cluster.entrants(options.sigma)
    usual = [proxy for proxy in usual if proxy.name != "Envoy"]
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options, wanted(usual + named, options.only) if options.only else usual, Cluster([]))
        found = field.rounds(plan.rounds, lambda bench, proxy: _measured(bench, proxy, plan), _line)
        rows, bounds = [], []
        for name, runs in found.items():
            rows.append(_row(name, runs))
            if name.startswith("Sigma"):
                bounds += _bounds(name, runs)
        intro = [
            f"{HONEST} honest clients ask for a small answer, each every {EVERY_MS} ms on a connection of its own, for {plan.seconds} s alone, and for {plan.seconds} s beside {plan.clients:,} slow ones: every second of",
            f"these uploads 10 MiB at {RATE} bytes a second, the others read 10 MiB at that rate, and who is sent away comes back a second later. One node for all, with one proxy in",
            "front of it, on another core. Failed is whatever isn't 200 with the right body within "
            f"{PATIENCE_S} s; latency counts from when a request was due. RSS: the most seen. Rounds:",
            f"{plan.rounds}; failures and RSS are those of the worst, latencies medians. nginx and HAProxy as in [chaos](chaos.md), Sigma with nothing set but a route and a node.",
        ]
        columns = ["proxy", "failed alone", "failed beside", "p50 alone, ms", "beside", "p99 alone, ms", "beside", "RSS MiB", "slow ones open", "sent away", "connections to the node"]
        tables = [(f"{plan.clients:,} slow clients", columns, rows)]
        return write_sheet("slow-clients", "Slow clients", intro, field, facts, tables, bounds, options)


def _measured(bench, proxy, plan):
    node = Node(bench, "node")
    place = slow = None
    try:
        node.start()
        place = proxy.start(bench, [node.port])
        bench.await_true(place.started, lambda: answers(place.port, WARM_PATH), "answering with 200")
        load.wrk(bench, place.url(WARM_PATH), WARM_CONNECTIONS, plan.warm_up_s)
        alone = _honest(bench, place, plan.seconds)
        procfs.reset_peak(place.pid)
        slow = SlowClients(bench, place.port, plan.clients // 2, plan.clients - plan.clients // 2, RATE)
        slow.await_all()
        beside = _honest(bench, place, plan.seconds)
        connections = node.counts()["open"]
        rss_kib = procfs.memory_kib(place.pid)[1]
        ended, slow = slow.finish(), None
        return {"alone": alone, "beside": beside, "rss_kib": rss_kib, "slow": ended, "node_connections": connections}
    finally:
        for started in [slow and slow.started, place and place.started, node.started]:
            if started:
                bench.kill(started)


def _honest(bench, place, seconds):
    start_ns = time.monotonic_ns() + int(LEAD_S * NS_PER_S)
    running = Load(bench, place.port, start_ns=start_ns, seconds=seconds, patience_s=PATIENCE_S, clients=HONEST, every_ms=EVERY_MS)
    requests = running.finish()
    latencies = sorted(request.latency_us for request in requests)
    outcomes = {}
    for request in requests:
        if not request.is_right:
            outcomes[request.outcome] = outcomes.get(request.outcome, 0) + 1
    return {
        "offered": len(requests),
        "failed": sum(outcomes.values()),
        "outcomes": outcomes,
        "p50_us": share(latencies, 0.5),
        "p99_us": share(latencies, 0.99),
        "load_late_us": share(sorted(request.late_us for request in requests), 0.99),
    }


def _middle(runs, when, field):
    return median(run[when][field] for run in runs) / 1000


def _worst(runs, when):
    return max(runs, key=lambda run: run[when]["failed"])[when]


def _row(name, runs):
    beside = _worst(runs, "beside")
    what = ", ".join(f"{count} {outcome}" for outcome, count in beside["outcomes"].items())
    sent_away = max(runs, key=lambda run: sum(run["slow"]["sent_away"].values()))["slow"]["sent_away"]
    return [
        name,
        _worst(runs, "alone")["failed"],
        f"{beside['failed']} of {beside['offered']}" + (f" ({what})" if what else ""),
        *(f"{_middle(runs, when, field):.2f}" for field in ("p50_us", "p99_us") for when in ("alone", "beside")),
        f"{max(run['rss_kib'] for run in runs) / 1024:.0f}",
        min(run["slow"]["open"] for run in runs),
        ", ".join(f"{count} {outcome}" for outcome, count in sent_away.items()) or 0,
        max(run["node_connections"] for run in runs),
    ]


def _bounds(name, runs):
    failed = _worst(runs, "beside")["failed"]
    yield f"failed honest requests ({name})", str(failed), "0", failed == 0
    alone, beside = (_middle(runs, when, "p99_us") for when in ("alone", "beside"))
    limit = max(P99_TIMES_MAX * alone, P99_MS_MIN)
    yield f"p99 beside slow clients, ms, twice that without or {P99_MS_MIN:g} ({name})", f"{beside:.2f}", f"<= {limit:.2f}", beside <= limit
    rss = max(run["rss_kib"] for run in runs) / 1024
    yield f"RSS MiB ({name})", f"{rss:.0f}", f"<= {RSS_MIB_MAX}", rss <= RSS_MIB_MAX


def _line(run):
    alone, beside = run["alone"], run["beside"]
    return (
        f"failed {alone['failed']}, {beside['failed']} of {beside['offered']} {beside['outcomes'] or ''}  p99 {alone['p99_us'] / 1000:.1f}, {beside['p99_us'] / 1000:.1f} ms  "
        f"RSS {run['rss_kib'] / 1024:.0f} MiB  slow: {run['slow']['open']} open, sent away {run['slow']['sent_away']}, {run['node_connections']} connections to the node, "
        f"load late {beside['load_late_us'] / 1000:.1f} ms"
    )
