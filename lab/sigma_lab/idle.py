"""What an idle keep-alive connection costs: thousands are opened, each does one request, then memory is compared."""

import time

from . import jvm, load, machine, measure, procfs
from .bench import Bench, LabError
from .client import Connection
from .field import Field, require_programs, wanted
from .nginx import BODY, Nginx
from .peers import Envoy, HAProxy
from .sheet import at_most, write_sheet
from .sigma import Sigma, both_forms

KIB_PER_CONNECTION_MAX = 12
TRACKING = "-XX:NativeMemoryTracking=summary"
SAMPLES = 20


def idle(options):
    """Runs the experiment and writes idle.json and .md; returns the exit code."""
    require_programs("taskset", "wrk", "nginx")
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options, wanted([Nginx(), HAProxy(), Envoy(), *both_forms(options.sigma)], options.only))
        rows, bounds = [], []
        for proxy in field.proxies:
            # Tracking costs a few bytes per allocation and no speed that matters here.
            place = field.start(proxy, java_options=TRACKING)
            if not place:
                continue
            in_jvm = isinstance(proxy, Sigma) and not proxy.native
            row = _measured(bench, place, in_jvm, options.idle_connections)
            rows.append(row)
            if in_jvm:
                what = f"heap and direct memory per idle connection ({place.name})"
                bounds.append(at_most(what, row[1] + row[2], KIB_PER_CONNECTION_MAX, "KiB"))
            bench.stop(place.started)
        intro = [
            f"{options.idle_connections:,} keep-alive connections, each idle after one request, compared with none; KiB per connection.",
            "Heap after full collections; direct: what native memory tracking calls `Other`. Memory of the kernel's sockets is in none",
            "of them. RSS of a JVM also moves for reasons of its own.",
        ]
        columns = ["proxy", "heap KiB", "direct KiB", "RSS KiB", "RSS before, MiB", "RSS with them, MiB"]
        return write_sheet("idle", "Idle connections", intro, field, facts, [("Per connection", columns, rows)], bounds, options)


def _measured(bench, place, in_jvm, count):
    load.wrk(bench, place.url(measure.PATH), 256, 3)
    before = _memory(place.pid, in_jvm)
    began = time.monotonic()
    connections = []
    try:
        for _ in range(count):
            connection = Connection(place.port)
            connections.append(connection)
            _ask(place, connection)
        after = _memory(place.pid, in_jvm)
        elapsed_s = time.monotonic() - began
        open_now = len(procfs.established(remote_port=place.port))
        if open_now < count:
            raise LabError(f"{place.name}: {open_now} of {count} connections open after {elapsed_s:.0f} s (expected: all)")
        for connection in connections[:: max(1, count // SAMPLES)]:
            _ask(place, connection)
    finally:
        for connection in connections:
            connection.close()
    heap, direct, rss = ((b - a) / count if b is not None else None for a, b in zip(before, after))
    print(f"{place.name}: heap {heap}, direct {direct}, RSS {rss:.2f} KiB per connection, within {elapsed_s:.1f} s", flush=True)
    return [place.name, heap, direct, rss, before[2] / 1024, after[2] / 1024]


def _ask(place, connection):
    answer = connection.get(measure.PATH)
    if (answer.status, answer.body) != (200, BODY):
        raise LabError(f"{place.name}: {answer.status} {answer.body[:80]} (expected: 200 {BODY})")


def _memory(pid, in_jvm):
    """(heap, direct, RSS) in KiB; RSS alone where it is not a JVM."""
    heap = jvm.heap_used_kib(pid) if in_jvm else None
    direct = jvm.direct_kib(pid) if in_jvm else None
    return heap, direct, procfs.memory_kib(pid)[0]
