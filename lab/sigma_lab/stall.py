"""Stalls after warm-up: a prober with one connection beside a steady load, and what the JVM's safepoint log says."""

import os
import re
import time
from pathlib import Path

from . import load, machine, measure
from .bench import Bench, LabError
from .client import Connection
from .field import Field, require_programs
from .sheet import at_most, write_sheet
from .sigma import Sigma

STALL_MS_MAX = 50
CONNECTIONS = 64
NS_PER_MS = 1_000_000
_SAFEPOINT = re.compile(r'^\[([\d.]+)s\].*Safepoint "(\w+)".*Total:\s+(\d+) ns')


def stall(options):
    """Runs the experiment for nginx (what the machine itself does) and Sigma; writes stall.json and .md."""
    require_programs("taskset", "wrk", "nginx")
    options.only = options.only or "nginx,sigma"
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options)
        rows, bounds = [], []
        for proxy in field.proxies:
            log = bench.folder / f"safepoints-{proxy.name.replace(' ', '-')}.log"
            place = field.start(proxy, java_options=f"-Xlog:safepoint:file={log}:uptime")
            if not place:
                continue
            row, worst_ms = _measured(bench, field, place, log if isinstance(proxy, Sigma) else None, options)
            rows.append(row)
            if isinstance(proxy, Sigma):
                bounds.append(at_most(f"longest stall ({place.name})", worst_ms, STALL_MS_MAX, "ms"))
            bench.stop(place.started)
        intro = [
            f"{options.seconds} s after a warm-up of {options.warm_up_s} s: {CONNECTIONS} connections of load, and one that asks without pause",
            "through the proxy and then the upstream directly. The direct column is the noise of machine and scheduler: what both columns",
            f"show in turn is not the proxy's. Over: requests that took more than {STALL_MS_MAX} ms.",
        ]
        columns = ["proxy", "probes", "p50 ms", "p99 ms", "max ms", "over", "direct max ms", "direct over", "safepoints", "longest safepoint ms"]
        return write_sheet("stall", "Stalls", intro, field, facts, [("After warm-up", columns, rows)], bounds, options)


def _measured(bench, field, place, safepoint_log, options):
    load.wrk(bench, place.url(measure.PATH), 256, max(1, options.warm_up_s // 2))
    load.wrk(bench, place.url(measure.PATH), CONNECTIONS, max(1, options.warm_up_s // 2))
    running = load.Wrk(bench, place.url(measure.PATH), CONNECTIONS, options.seconds)
    uptime_s = _uptime_s(place.pid)
    proxied, direct = _probe(place.port, field.upstream.place.port, options.seconds - 0.5)
    errors = sum(running.finish()["errors"].values())
    if errors:
        raise LabError(f"{place.name}: {errors} errors of the load (expected: 0)")
    safepoints = _safepoints_ms(safepoint_log, uptime_s) if safepoint_log else None
    longest = max(safepoints, default=0.0) if safepoints is not None else None
    worst = max([proxied[-1], longest or 0.0])
    row = [place.name, len(proxied), f"{_share(proxied, 0.5):.2f}", f"{_share(proxied, 0.99):.2f}", proxied[-1], _over(proxied)]
    row += [direct[-1], _over(direct), len(safepoints) if safepoints is not None else None, longest]
    print(f"{place.name}: longest of {len(proxied)} probes {proxied[-1]:.1f} ms, direct {direct[-1]:.1f} ms", flush=True)
    return row, worst


def _probe(proxy_port, upstream_port, seconds):
    """Asks in turn through the proxy and directly; returns both latencies in ms, sorted."""
    probes = (_Probe(proxy_port, measure.PATH), _Probe(upstream_port, measure.PATH[len("/test") :]))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for probe in probes:
            probe.ask()
    return [sorted(probe.latencies_ms) for probe in probes]


class _Probe:
    def __init__(self, port, path):
        self._port, self._path = port, path
        self._connection = Connection(port)
        self.latencies_ms = []

    def ask(self):
        began = time.monotonic_ns()
        answer = self._connection.get(self._path)
        self.latencies_ms.append((time.monotonic_ns() - began) / NS_PER_MS)
        if answer.status != 200:
            raise LabError(f"probe: status {answer.status} (expected: 200)")
        if "connection: close" in answer.head.lower():
            self._connection.close()
            self._connection = Connection(self._port)


def _safepoints_ms(log, from_uptime_s):
    found = []
    for line in log.read_text(errors="replace").splitlines():
        match = _SAFEPOINT.search(line)
        if match and float(match.group(1)) >= from_uptime_s:
            found.append(int(match.group(3)) / NS_PER_MS)
    return found


def _uptime_s(pid):
    """Seconds since the process started, which for a launcher that execs is a little more than the JVM's own uptime."""
    ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    return float(Path("/proc/uptime").read_text().split()[0]) - ticks / os.sysconf("SC_CLK_TCK")


def _share(latencies, share):
    return latencies[int((len(latencies) - 1) * share)]


def _over(latencies):
    return sum(latency > STALL_MS_MAX for latency in latencies)
