"""One measured run: load on, and what the proxy used meanwhile."""

from . import load, procfs, sockets
from .verify import PATH

SETTLE_S = 1
# When the load's sockets are looked at: soon after all are connected, and so late that a connection starved to the end shows it.
EARLY_SHARE = 0.2
LATE_S = 0.4


def run(bench, place, upstream, connections, seconds, *, path=PATH, kind="plain"):
    """Lets connections and pools settle, then measures one wrk run. `place` may be the upstream itself (direct)."""
    direct = place is upstream.place
    # The upstream has the answers at the paths that the proxies rewrite to.
    url = place.url(path.removeprefix("/test") if direct else path)
    load.wrk(bench, url, connections, SETTLE_S, kind)
    procfs.reset_peak(place.pid)
    resident, seen = [], []
    # The upstream's clients are not all the load's: the proxies' pools hold connections to it.
    strangers = sockets.clients(place.port).keys()

    def look():
        seen.append(sockets.clients(place.port, strangers))
        resident.append(procfs.memory_kib(place.pid)[0])

    accepted = upstream.accepted()
    looks = [(seconds * EARLY_SHARE, look), (max(seconds * 0.6, seconds - LATE_S), look)]
    result = costs(bench, place, direct, lambda: load.wrk(bench, url, connections, seconds, kind, looks))
    result["upstream_opened"] = upstream.accepted() - accepted
    result["rss_kib"] = resident[-1]
    result["rss_peak_kib"] = procfs.memory_kib(place.pid)[1]
    if kind != "close":
        counted = sockets.compare(*seen)
        dropped = counted.pop("dropped")
        if place.requests_per_connection:
            # Connections end as they were said to; none lasts long enough to be compared with the others.
            dropped, counted["least_served"] = 0, None
        result["errors"].update(dropped=dropped, starved=counted.pop("starved"))
        result.update(counted)
    return result


def costs(bench, place, direct, run):
    """What `run()`, a load, returns, with what the place and the cores used meanwhile; `direct` where the place is the upstream."""
    busy = _busy(bench)
    used = procfs.usage(place.pid)
    result = run()
    used_after = procfs.usage(place.pid)
    busy_after = _busy(bench)
    result["load_core_busy"] = (busy_after[1] - busy[1]) / result["duration_us"]
    if not direct:
        add_costs(result, used, used_after)
        proxy_core_us = busy_after[0] - busy[0]
        result["proxy_core_busy"] = proxy_core_us / result["duration_us"]
        # What ran on the proxy's core and was not the proxy: another program, or interrupts that hit idle time.
        result["others_share"] = max(0.0, (proxy_core_us - result["cpu_us"]) / result["duration_us"])
    return result


def add_costs(result, before, after):
    """Adds CPU time and context switches, in all and per completed request."""
    requests = max(1, result["requests"])
    result["cpu_us"] = after.cpu_us - before.cpu_us
    result["switches"] = after.switches - before.switches
    result["cpu_us_per_request"] = result["cpu_us"] / requests
    result["switches_per_request"] = result["switches"] / requests


def _busy(bench):
    return procfs.core_busy_us(bench.proxy_core), procfs.core_busy_us(bench.load_core)
