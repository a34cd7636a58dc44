"""Heap bytes that Sigma allocates per request in steady state, by thread, asked from the JVM before and after a load."""

import re

from . import load, machine, measure
from .bench import Bench, LabError
from .field import Field, require_programs
from .jvm import AllocationProbe
from .sheet import at_most, write_sheet

EVENT_LOOP = re.compile("event-?loop", re.IGNORECASE)
# What the asking itself allocates, and compiler threads, which allocate nothing on the heap for requests.
ASKING = re.compile("^(RMI |JMX |Attach Listener)")
BYTES_PER_REQUEST_MAX = 32
CONNECTIONS = (64, 256, 2000)
# Opening connections allocates what stays with them; that is not counted.
SETTLE_S = 2


def alloc(options):
    """Runs the experiment and writes alloc.json and .md; returns the exit code."""
    require_programs("taskset", "wrk", "nginx")
    options.only = options.only or "sigma"
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options)
        rows, bounds = [], []
        for place in field.start_all():
            rows += _measured(bench, field, place, options)
            bench.stop(place.started)
        for name in dict.fromkeys(row[0] for row in rows):
            worst = max(row[3] for row in rows if row[0] == name)
            bounds.append(at_most(f"bytes per request on event loops ({name})", worst, BYTES_PER_REQUEST_MAX, "bytes"))
        intro = [
            f"`ThreadMXBean.getThreadAllocatedBytes` over {options.seconds} s of a load whose connections stand, after warm-up, `/test/*`",
            "rewritten to `/*`, divided by the requests that the upstream saw meanwhile. Other threads: all but event loops and those that",
            "answer the question.",
        ]
        columns = ["proxy", "connections", "requests", "event loops, bytes/request", "other threads, bytes/request", "errors"]
        return write_sheet("alloc", "Allocation per request", intro, field, facts, [("Steady state", columns, rows)], bounds, options)


def _measured(bench, field, place, options):
    for connections in (256, max(CONNECTIONS)):
        load.wrk(bench, place.url(measure.PATH), connections, max(1, options.warm_up_s // 2))
    rows = []
    with AllocationProbe(place.pid) as probe:
        for connections in CONNECTIONS:
            requests, loops, others, errors = allocated(field, probe, options.seconds, with_wrk(bench, place, connections))
            row = [place.name, connections, requests, sum(loops.values()) / requests, sum(others.values()) / requests]
            rows.append([*row, errors])
            print(f"{place.name}, {connections} connections: {row[3]:.1f} bytes/request on event loops", flush=True)
            for name, count in others.items():
                if count > requests / 10:
                    print(f"    beside: {name}: {count / requests:.1f} bytes/request", flush=True)
    return rows


def with_wrk(bench, place, connections, path=measure.PATH):
    """The load of wrk for `allocated`."""
    return lambda seconds, looks: load.wrk(bench, place.url(path), connections, seconds, looks=looks)


def allocated(field, probe, seconds, run):
    """(requests, {event loop: bytes}, {other thread: bytes}, errors) within the load `run(seconds, looks)`, while its connections stand."""
    looks = []

    def look():
        # The JVM answers late when its core is full; the middle of two counts is nearer to when it did.
        first = field.upstream.answered()
        count = probe.read()
        looks.append(((first + field.upstream.answered()) / 2, count))

    times = [(SETTLE_S, look), (SETTLE_S + seconds, look)]
    result = run(seconds + 2 * SETTLE_S, times)
    (requests_before, before), (requests_after, after) = looks
    grown = {name: count - before.get(name, 0) for name, count in after.items()}
    loops, others = _split(grown)
    if not loops:
        raise LabError(f"no thread named like an event loop among {', '.join(sorted(grown))}")
    return max(1, int(requests_after - requests_before)), loops, others, sum(result["errors"].values())


def _split(allocated):
    loops = {name: count for name, count in allocated.items() if EVENT_LOOP.search(name)}
    others = {name: count for name, count in allocated.items() if name not in loops and not ASKING.search(name)}
    return loops, others
