"""One measured run: load on, and what the proxy used meanwhile."""

import time
from types import SimpleNamespace

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

    accepted, answered = upstream.accepted(), upstream.answered()
    looks = [(seconds * EARLY_SHARE, look), (max(seconds * 0.6, seconds - LATE_S), look)]
    result = costs(bench, place, direct, lambda: load.wrk(bench, url, connections, seconds, kind, looks))
    result["upstream_opened"] = upstream.accepted() - accepted
    result["upstream_answered"] = upstream.answered() - answered
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


class Window:
    """The middle of a load, while its connections stand: what the proxy and the cores used between two looks, which are due at `times`.

    `counted` is a count to look at, too.
    """

    def __init__(self, bench, place, settle_s, seconds, counted=lambda: 0):
        self._bench = bench
        self._place = place
        self._counted = counted
        self._looks = []
        self.times = [(settle_s, self.look), (settle_s + seconds, self.look)]

    def look(self):
        """Begins it, and ends it."""
        at, count = time.monotonic(), self._counted()
        self._looks.append(SimpleNamespace(at=at, count=count, used=procfs.usage(self._place.pid), busy=_busy(self._bench)))
        self._rss_kib = procfs.resident_kib(self._place.pid)

    def counted(self):
        """How much was counted within it."""
        first, last = self._looks
        return last.count - first.count

    def between(self):
        """When it began and ended, in seconds of the monotonic clock."""
        first, last = self._looks
        return first.at, last.at

    def add_costs(self, result, requests, direct=False):
        """Adds what so many requests within it cost; `direct` where the place is the upstream."""
        first, last = self._looks
        duration_us = int((last.at - first.at) * 1e6)
        result.update(requests=requests, duration_us=duration_us, rps=requests * 1e6 / duration_us)
        result["load_core_busy"] = (last.busy[1] - first.busy[1]) / duration_us
        if not direct:
            add_costs(result, first.used, last.used)
            proxy_core_us = last.busy[0] - first.busy[0]
            result["proxy_core_busy"] = proxy_core_us / duration_us
            result["others_share"] = max(0.0, (proxy_core_us - result["cpu_us"]) / duration_us)
        result["rss_kib"] = self._rss_kib


def add_costs(result, before, after):
    """Adds CPU time and context switches, in all and per completed request."""
    requests = max(1, result["requests"])
    result["cpu_us"] = after.cpu_us - before.cpu_us
    result["switches"] = after.switches - before.switches
    result["cpu_us_per_request"] = result["cpu_us"] / requests
    result["switches_per_request"] = result["switches"] / requests


def _busy(bench):
    return procfs.core_busy_us(bench.proxy_core), procfs.core_busy_us(bench.load_core)
