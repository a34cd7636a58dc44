"""What Sigma has to reach on the main road, checked against a summary."""

CPU_RATIO_MAX = {256: 0.90, 2000: 0.60}
RPS_RATIO_MIN = {2000: 1.5}
RSS_MIB_MAX = {2000: 160}
TLS_CPU_RATIO_MAX = {256: 0.90, 2000: 0.70}
HANDSHAKE_RATIO_MAX = 1.05
IDLE_TLS_KIB_MAX = 24
TLS_HEAP_BYTES_MAX = 64
H2_RATIOS_MAX = {"nginx": 0.65, "Envoy": 0.5}
H2_HEAP_BYTES_MAX = 64
WEBSOCKET_CPU_RATIO_MAX = 1.0
IDLE_WEBSOCKET_KIB_MAX = 24
PEERS = ("HAProxy", "Envoy")
DEFAULTS = "Sigma defaults "
# Noise between two of the same kind.
DEFAULTS_RATIO_MAX = 1.03


def road_bounds(summary):
    """Returns [(what, found, expected, met)]; empty where Sigma or nginx did not take part."""
    all_sigmas = sorted({proxy for proxy, _ in summary if proxy.startswith("Sigma")})
    if not all_sigmas or not any(proxy == "nginx" for proxy, _ in summary):
        return []
    sigmas = [name for name in all_sigmas if not name.startswith(DEFAULTS)]
    found = []
    for connections, bound in CPU_RATIO_MAX.items():
        rows = {name: summary[name, connections] for name in sigmas if (name, connections) in summary}
        if not rows:
            continue
        # "With the better transport": each bound is for whichever is better there.
        best = min(rows, key=lambda name: rows[name]["cpu_us_per_request"])
        row = rows[best]
        found.append(_at_most(f"CPU per request at {connections}, × nginx ({best})", row["cpu_us_per_request_ratio"], bound))
        for peer in PEERS:
            if (peer, connections) in summary:
                limit = summary[peer, connections]["cpu_us_per_request"]
                found.append(_less(f"CPU µs per request at {connections}, below {peer} ({best})", row["cpu_us_per_request"], limit))
        found.append(_at_most(f"p99 at {connections}, × nginx ({best})", row["p99_us_ratio"], 1.0))
        if connections in RPS_RATIO_MIN:
            what = f"requests/s at {connections}, × nginx ({best})"
            found.append(_at_least(what, row["rps_ratio"], RPS_RATIO_MIN[connections]))
    found.extend(_of_defaults(summary))
    for name in all_sigmas:
        found.extend(_of_each(name, summary))
    return found


def tls_bounds(summary, shakes, idle, heap):
    """The same for TLS; `shakes` is {(proxy, kind): CPU µs}, `idle` has the KiB of each proxy, `heap` the bytes that Sigma allocates."""
    sigmas = sorted({proxy for proxy, _ in summary if proxy.startswith("Sigma")})
    tuned = [name for name in sigmas if not name.startswith(DEFAULTS)]
    if not tuned or not any(proxy == "nginx" for proxy, _ in summary):
        return []
    found = []
    for connections, bound in TLS_CPU_RATIO_MAX.items():
        rows = {name: summary[name, connections] for name in tuned if (name, connections) in summary}
        if rows:
            best = min(rows, key=lambda name: rows[name]["cpu_us_per_request"])
            found.append(_at_most(f"CPU per request at {connections}, × nginx ({best})", rows[best]["cpu_us_per_request_ratio"], bound))
            least = min(row["p99_us"] for (proxy, case), row in summary.items() if case == connections and proxy not in sigmas)
            found.append(_at_most(f"p99 at {connections}, × the best peer's ({best})", rows[best]["p99_us"] / least, 1.0))
    found.extend(_of_defaults(summary))
    for case in dict.fromkeys(case for _, case in summary if isinstance(case, str)):
        best = max(summary[name, case]["cpu_us_per_request_ratio"] and 1 / summary[name, case]["cpu_us_per_request_ratio"] for name in tuned)
        found.append(_at_least(f"{case}: bytes per CPU second, × nginx", best, 1.0))
    for kind in dict.fromkeys(kind for _, kind in shakes):
        if ("nginx", kind) in shakes:
            best = min(shakes[name, kind] for name in tuned if (name, kind) in shakes)
            found.append(_at_most(f"CPU per handshake, {kind}, × nginx", best / shakes["nginx", kind], HANDSHAKE_RATIO_MAX))
    for row in idle:
        if row["proxy"] in sigmas:
            found.append(_at_most(f"KiB per idle connection ({row['proxy']})", row["kib"], IDLE_TLS_KIB_MAX))
    for row in heap:
        found.append(_at_most(f"heap bytes per request ({row['proxy']})", row["bytes"], TLS_HEAP_BYTES_MAX))
    found.extend(_no_errors(summary, sigmas))
    return found


def h2_bounds(summary, small, heap):
    """The same for HTTP/2; `small` are the cases with small answers, `heap` has the bytes that Sigma allocates."""
    sigmas = sorted({proxy for proxy, _ in summary if proxy.startswith("Sigma")})
    found = []
    for case in dict.fromkeys(case for _, case in summary):
        rows = {name: row for (name, of), row in summary.items() if of == case and name != "direct"}
        peers = {name: row for name, row in rows.items() if name not in sigmas}
        if len(rows) == len(peers) or not peers:
            continue
        best = min((name for name in rows if name in sigmas), key=lambda name: rows[name]["cpu_us_per_request"])
        if case in small:
            found.extend(_of_small_answers(case, best, rows[best], peers))
        elif "nginx" in peers:
            ratio = rows[best]["cpu_us_per_request_ratio"]
            found.append(_at_least(f"{case}: bytes per CPU second, × nginx ({best})", ratio and 1 / ratio, 1.0))
    for row in heap:
        found.append(_at_most(f"{row['case']}: heap bytes per request ({row['proxy']})", row["bytes"], H2_HEAP_BYTES_MAX))
    found.extend(_no_errors(summary, sigmas))
    return found


def websocket_bounds(summary, idle):
    """The same for WebSocket; `idle` has [proxy, KiB of each idle connection, ...]."""
    sigmas = sorted({proxy for proxy, _ in summary if proxy.startswith("Sigma")})
    found = []
    for case in dict.fromkeys(case for _, case in summary):
        rows = {name: summary[name, case] for name in sigmas if (name, case) in summary}
        peers = [row for (name, of), row in summary.items() if of == case and name not in (*sigmas, "direct")]
        if not rows or not peers:
            continue
        best = min(rows, key=lambda name: rows[name]["cpu_us_per_request"])
        found.append(_at_most(f"{case}: CPU per message, × nginx ({best})", rows[best]["cpu_us_per_request_ratio"], WEBSOCKET_CPU_RATIO_MAX))
        least = min(row["p99_us"] for row in peers)
        found.append(_at_most(f"{case}: p99, × the best peer's ({best})", rows[best]["p99_us"] / least, 1.0))
    for name, kib, *_ in idle:
        if name in sigmas:
            found.append(_at_most(f"KiB per idle connection ({name})", kib, IDLE_WEBSOCKET_KIB_MAX))
    found.extend(_no_errors(summary, sigmas))
    return found


def _of_small_answers(case, name, row, peers):
    """CPU beside each peer that has a bound, and beside the best; p99 beside the best."""
    cost = row["cpu_us_per_request"]
    for peer, bound in H2_RATIOS_MAX.items():
        if peer in peers:
            yield _at_most(f"{case}: CPU per request, × {peer} ({name})", cost / peers[peer]["cpu_us_per_request"], bound)
    cheapest = min(peers, key=lambda peer: peers[peer]["cpu_us_per_request"])
    yield _at_most(f"{case}: CPU per request, × the best peer's, {cheapest} ({name})", cost / peers[cheapest]["cpu_us_per_request"], 1.0)
    fastest = min(peers, key=lambda peer: peers[peer]["p99_us"])
    yield _at_most(f"{case}: p99, × the best peer's, {fastest} ({name})", row["p99_us"] / peers[fastest]["p99_us"], 1.0)


def _no_errors(summary, names):
    for name in names:
        errors = sum(sum(row["errors"].values()) for (proxy, _), row in summary.items() if proxy == name)
        yield f"errors ({name})", str(errors), "0", errors == 0


def _of_defaults(summary):
    """What nobody tuned costs no more than what somebody did, on the same transport."""
    for (name, connections), row in summary.items():
        tuned = summary.get((name.replace(DEFAULTS, "Sigma "), connections))
        if name.startswith(DEFAULTS) and tuned:
            ratio = row["cpu_us_per_request"] / tuned["cpu_us_per_request"]
            yield _at_most(f"CPU per request at {connections}, × tuned ({name})", ratio, DEFAULTS_RATIO_MAX)


def _of_each(name, summary):
    for connections, bound in RSS_MIB_MAX.items():
        if (name, connections) in summary:
            yield _at_most(f"RSS at {connections}, MiB ({name})", summary[name, connections]["rss_kib"] / 1024, bound)
    errors = sum(sum(row["errors"].values()) for (proxy, _), row in summary.items() if proxy == name)
    yield (f"errors, requests over 2 s, starved or dropped connections ({name})", str(errors), "0", errors == 0)


def _at_most(what, value, bound):
    return what, _shown(value), f"<= {bound}", value is not None and value <= bound


def _at_least(what, value, bound):
    return what, _shown(value), f">= {bound}", value is not None and value >= bound


def _less(what, value, bound):
    return what, _shown(value), f"< {bound:.2f}", value < bound


def _shown(value):
    return "none" if value is None else f"{value:.2f}"
