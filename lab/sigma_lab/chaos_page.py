"""The page of `lab/lab chaos`: a chart and a table with a row for each fault and proxy, outages, and what Sigma has to reach."""

from statistics import median

from . import chart, report

SEEN_MAX = 1.25
FIRST_200_S_MAX = 1.0
P99_TIMES_MAX = 2.0
# On a machine whose cores others use too, a few milliseconds are nothing that healing is to blame for.
P99_MS_MIN = 10.0
LOAD_LATE_US_NOTED = 5_000
LATE_S_NOTED = 0.25
_WINDOWS = ("before", "first_1s", "first", "after", "after_1s", "all")
_OUTAGE_WINDOWS = ("down", "one", "back", "all")


def page(document, json_path):
    """The Markdown, and whether a bound is missed."""
    summary = _summary(document["runs"], _WINDOWS)
    outages = _summary(document["outage_runs"], _OUTAGE_WINDOWS)
    titles = {row["name"]: row["title"] for row in document["rows"]}
    lines = report.page("Nodes that fail", document, _intro(document, json_path, bool(summary)))
    lines += _about(document)
    if summary:
        image = json_path.with_suffix(".svg")
        panels = (
            ("failed GETs within {:g} s of the fault (logarithmic)".format(document["plan"]["after_s"]), "failed", "{:,.0f}"),
            ("p99 from 2 s after it on, ms (logarithmic)", "p99_after_ms", "{:,.1f}"),
        )
        title = "Failed requests, and the 99th percentile of latency, for each fault"
        image.write_text(chart.bars(document["order"], titles, summary, title, panels, logarithmic_from=0.1))
        lines += ["## Each fault", "", *_table(document, titles, summary)]
    if outages:
        lines += ["## All nodes at once", "", *_outage_table(document, outages)]
    rows = [*_bounds(document, titles, summary), *_outage_bounds(document["order"], outages)]
    if rows:
        lines += ["## Bounds", "", *report.bounds_table(rows)]
    lines += _warnings(document["runs"] + document["outage_runs"])
    return "\n".join(lines), any(not met for *_, met in rows)


def run_line(run):
    """One run on the terminal."""
    first, after = run["first"], run["after"]
    what = ", ".join(f"{count} {outcome}" for outcome, count in run["all"]["outcomes"].items())
    return (
        f"round {run['round']}  {run['row']:<12} {run['proxy']:<16} failed {run['first_1s']['failed']:>4} in 1 s, {first['failed']:>4} in 2 s, {after['failed']:>4} after"
        f"  p99 {_millis(run['before']['p99_us'])}, {_millis(first['p99_us'])}, {_millis(after['p99_us'])} ms  POSTs {run['posts_failed']} failed, "
        f"{run['posts_twice']} twice  seen × {run['seen']:.2f}  load late {_millis(run['load_late_us'])} ms, fault late {1000 * run['late_s']:.0f} ms  ({what or 'none failed'})"
    )


def outage_line(run):
    """One outage on the terminal."""
    first = "never" if run["first_200_s"] is None else f"{1000 * run['first_200_s']:.0f} ms"
    return (
        f"round {run['round']}  {run['row']:<12} {run['proxy']:<16} first 200 after {first}  tries × "
        f"{', '.join(f'{tries:.2f}' for tries in run['tries'])}  herd {run['herd_connections']} connections, {run['herd_in_flight']} at once  failed {run['all']['failed']} of "
        f"{run['all']['offered']}, once all are back {run['back']['failed']}  POSTs twice {run['posts_twice']}, fault late "
        f"{1000 * run['late_s']:.0f} ms"
    )


def _warnings(runs):
    lines = report.warnings(runs, {})
    held = [run["load_late_us"] for run in runs if run["load_late_us"] > LOAD_LATE_US_NOTED]
    if held:
        lines.append(f"**Load held up:** in {len(held)} of {len(runs)} runs 1 % of requests were sent {max(held) / 1000:.0f} ms late or later, by the load itself.\n")
    late = [run for run in runs if run["late_s"] > LATE_S_NOTED]
    if late:
        lines.append(f"**Late:** in {len(late)} of {len(runs)} runs a fault came up to {max(run['late_s'] for run in late):.1f} s late.\n")
    return lines


def _intro(document, json_path, has_chart):
    plan = document["plan"]
    yield f"{plan['nodes']} nodes on one core; a proxy in front of them on the other, started anew for each row. {plan['clients']} clients ask for a small answer (`cut`: 64 KiB), each every"
    yield f"{plan['every_ms']} ms on a connection of its own, and {plan['posters']} more POST as often, with an id each. A request that is due while the one before has no answer is sent late; latency"
    yield f"counts from when it was due, and those that fail are in it too. Failed is whatever isn't 200 with the right body within {plan['patience_s']} s, or couldn't be sent because its"
    yield f"client still waited; it is counted for the second in which it was due. The fault comes {plan['before_s']} s after the load began, which {plan['warm_up_s']} s of another, as fast as"
    yield f"could be, went before; the last requests are due {plan['after_s']} s after it. Rounds: {plan['rounds']}; failures are those of the worst, latencies medians."
    if has_chart:
        yield ""
        yield f"![Failed requests and p99 for each fault]({json_path.with_suffix('.svg').name})"


def _about(document):
    lines = ["## Proxies and faults", "", "| proxy | set up with |", "|---|---|"]
    lines += [f"| {name} | {about} |" for name, about in document["about"].items()]
    lines += ["", "| fault | |", "|---|---|"]
    lines += [f"| {name} | {what} |" for name, what in {row["title"].split(",")[0]: row["what"] for row in document["rows"]}.items()]
    return lines + [""]


def _table(document, titles, summary):
    lines = [
        "Failed GETs due in the first second after the fault, in the first two, and later; latency before the fault, in the first two seconds after it, and later;",
        "right answers a second; POSTs failed, and read by nodes more than once; requests that nodes saw, × those that clients sent.",
        "",
        "| fault | proxy | failed in 1 s | in 2 s | later | p50, p99 before, ms | in 2 s | later | right/s before | in 2 s | later | POSTs failed | twice | seen × |",
        "|---|---|" + "---:|" * 12,
    ]
    for name, title in titles.items():
        for proxy in document["order"]:
            row = summary.get((proxy, name))
            if not row:
                continue
            parts = ("before", "first", "after")
            cells = [row["first_1s"]["failed"], row["first"]["failed"], row["after"]["failed"]]
            cells += [f"{_millis(row[part]['p50_us'])}, {_millis(row[part]['p99_us'])}" for part in parts]
            cells += [f"{row[part]['rps']:,.0f}" for part in parts]
            cells += [f"{row['posts_failed']} of {row['posts']}", row["posts_twice"], f"{row['seen']:.2f}"]
            lines.append(f"| {title} | {proxy} | " + " | ".join(str(cell) for cell in cells) + " |")
    return lines + [""]


def _outage_table(document, summary):
    lines = [f"`{outage['name']}`: {outage['what']}." for outage in document["outages"]]
    lines += [
        "Tries: requests that nodes saw and connections refused, × requests offered, while all fail, while one is back, and once all are. First 200: after the first node's return. Herd:",
        "connections that it accepted, the most requests that it had at once, and requests that it saw, within its first second; × offered is × what is due in a second. Failed: in all, while one node",
        "is back (from a second after its return), and once all are (from a second after that).",
        "",
        "| outage | proxy | tries × | with one | with all | first 200, ms | herd: connections | at once | × offered | failed | with one | with all | p99 with all, ms | POSTs twice |",
        "|---|---|" + "---:|" * 12,
    ]
    for outage in document["outages"]:
        for proxy in document["order"]:
            row = summary.get((proxy, outage["name"]))
            if not row:
                continue
            first = "–" if row["first_200_s"] is None else f"{1000 * row['first_200_s']:.0f}"
            cells = [*(f"{tries:.2f}" for tries in row["tries"]), first, row["herd_connections"], row["herd_in_flight"]]
            cells += [f"{row['seen_first_second']:.2f}", f"{row['all']['failed']:,} of {row['all']['offered']:,}"]
            cells += [row["one"]["failed"], row["back"]["failed"], _millis(row["back"]["p99_us"]), row["posts_twice"]]
            lines.append(f"| {outage['name']} | {proxy} | " + " | ".join(str(cell) for cell in cells) + " |")
    return lines + [""]


def _bounds(document, titles, summary):
    sigmas = [name for name in document["order"] if name.startswith("Sigma")]
    cuts = {row["name"] for row in document["rows"] if row["cuts"]}
    for sigma in sigmas:
        for name, title in titles.items():
            row = summary.get((sigma, name))
            if not row:
                continue
            peers = {peer: summary[peer, name]["failed"] for peer in document["order"] if peer not in sigmas and (peer, name) in summary}
            if peers:
                best = min(peers, key=peers.get)
                yield _at_most(f"{title}: failed GETs, no more than {best}'s ({sigma})", row["failed"], peers[best])
            if name not in cuts:
                yield _at_most(f"{title}: failed GETs after the first second ({sigma})", row["after_1s"]["failed"], 0)
            bound_ms = max(P99_TIMES_MAX * row["before"]["p99_us"] / 1000, P99_MS_MIN)
            yield _at_most(f"{title}: p99 from 2 s on, ms ({sigma})", row["p99_after_ms"], bound_ms, 1)
        twice = sum(row["posts_twice"] for (proxy, _), row in summary.items() if proxy == sigma)
        if any(proxy == sigma for proxy, _ in summary):
            yield _at_most(f"POSTs that reached nodes twice, in all rows ({sigma})", twice, 0)


def _outage_bounds(order, summary):
    for (proxy, name), row in summary.items():
        if not proxy.startswith("Sigma"):
            continue
        yield _at_most(f"{name}: requests seen and connections refused, × offered, in the worst phase ({proxy})", max(row["tries"]), SEEN_MAX, 2)
        first = row["first_200_s"]
        met = first is not None and first <= FIRST_200_S_MAX
        yield f"{name}: first 200 after a node's return, s ({proxy})", "never" if first is None else f"{first:.2f}", f"<= {FIRST_200_S_MAX}", met
        yield _at_most(f"{name}: connections to the node that is back within its first second ({proxy})", row["herd_connections"], row["clients_max"])
        yield _at_most(f"{name}: requests at once to it ({proxy})", row["herd_in_flight"] or 0, row["clients_max"])
        yield _at_most(f"{name}: POSTs that reached nodes twice ({proxy})", row["posts_twice"], 0)


def _at_most(what, found, bound, digits=0):
    return what, f"{found:,.{digits}f}", f"<= {bound:,.{digits}f}", found <= bound


def _summary(runs, windows):
    """{(proxy, row): figures}: of counts the most over the rounds, of latencies and rates the median."""
    groups = {}
    for run in runs:
        groups.setdefault((run["proxy"], run["row"]), []).append(run)
    return {key: _merged(group, windows) for key, group in groups.items()}


def _merged(group, windows):
    row = {}
    for name in windows:
        found = [run[name] for run in group]
        row[name] = {
            "offered": found[0]["offered"],
            "failed": max(window["failed"] for window in found),
            **{field: median(window[field] or 0 for window in found) for field in ("p50_us", "p99_us", "rps")},
        }
    for field in ("seen", "refused", "seen_first_second", "first_200_s"):
        values = [run.get(field) for run in group]
        row[field] = None if None in values else max(values)
    for field in ("posts", "posts_failed", "posts_twice", "herd_connections", "herd_in_flight"):
        row[field] = max(run.get(field) or 0 for run in group)
    row["clients_max"] = group[0].get("clients_max")
    row["tries"] = [max(found) for found in zip(*(run.get("tries", ()) for run in group))]
    row["failed"] = row["all"]["failed"]
    if "after" in row:
        row["p99_after_ms"] = row["after"]["p99_us"] / 1000
    return row


def _millis(micros):
    return "–" if micros is None else report.millis(micros)
