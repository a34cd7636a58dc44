"""The page of the comparison of gateways: the study's figures beside the measured ones, tables, and what Sigma has to reach."""

from . import chart, report
from .summary import summarise

PANELS = (
    ("mean ms, logarithmic (less is better)", "mean_ms", "{:.1f}"),
    ("CPU µs per request, logarithmic (less is better)", "cpu_us_per_request", "{:.0f}"),
)
COLD_RATIO_MAX = 1.5
MEMORY_MIB_MAX = 1024
KEPT_SHARE_MIN = 0.9
# The kind of the same with a limit of requests in each.
LIMITED = "gateways-rate-limit"
# What each form of a bound is for: what `./sigma run -conf` gives.
SIGMA = "Sigma"

COLUMNS = (
    ("requests/s", lambda row: f"{row['rps']:,.0f}"),
    ("mean ms", lambda row: report.millis(row["mean_us"])),
    ("× nginx", lambda row: report.number(row["mean_us_ratio"], 2)),
    ("p50 ms", lambda row: report.millis(row["p50_us"])),
    ("p99 ms", lambda row: report.millis(row["p99_us"])),
    ("CPU µs/request", lambda row: report.number(row["cpu_us_per_request"], 1)),
    ("× nginx", lambda row: report.number(row["cpu_us_per_request_ratio"], 2)),
    ("± %", lambda row: report.number(row["spread"] and 50 * row["spread"], 0)),
    ("RSS MiB", lambda row: report.number(row["rss_kib"] and row["rss_kib"] / 1024, 0)),
    ("most", lambda row: report.number(row["rss_peak_kib"] and row["rss_peak_kib"] / 1024, 0)),
)
COLD_COLUMNS = (*COLUMNS, ("first answer ms", lambda row: report.number(row["first_answer_ms"], 0)))
FAILURES = ("failures", lambda row: report.errors(row["errors"]))

# Mean ms of the study: (machine, gateway, cores of the form beside it, state, ms).
STUDY = (
    ("1 core, 1 GiB", "direct", 1, "warm", 30),
    ("1 core, 1 GiB", "nginx", 1, "warm", 40),
    ("1 core, 1 GiB", "Zuul 1", 1, "cold", 388),
    ("1 core, 1 GiB", "Zuul 1", 1, "warm", 200),
    ("2 cores, 8 GiB", "nginx", 2, "warm", 32),
    ("2 cores, 8 GiB", "Zuul 1", 2, "warm", 95),
    ("8 cores, 32 GiB", "Spring Cloud Gateway", None, "warm", 229),
)


def case(cores, state, keep_alive):
    """What a case is called: `1 core, cold, ab -k`."""
    return f"{cores} core{'s' if cores > 1 else ''}, {state}, ab{' -k' if keep_alive else ''}"


def page(document, json_path):
    """The Markdown of the result, beside its chart, and whether a bound is missed."""
    plan = document["plan"]
    summary = summarise(document["runs"])
    for row in summary.values():
        row["mean_ms"] = row["mean_us"] / 1000
    forms = [(cores, state, keep_alive) for cores in plan["cores"] for state in ("warm", "cold") for keep_alive in (True, False)]
    image = json_path.with_suffix(".svg")
    image.write_text(_chart(document["order"], [case(*form) for form in forms if form[2]], summary))
    limited = document["kind"] == LIMITED
    title = "Gateways with a rate limit" if limited else "Gateways"
    intro = [*_intro(plan), *(_limit(document) if limited else [])]
    lines = report.page(title, document, [*intro, "", f"![Mean time and CPU time of a request]({image.name})"])
    if not limited:
        lines += _study(summary)
    for cores, state, keep_alive in forms:
        columns = COLD_COLUMNS if state == "cold" else COLUMNS
        name = case(cores, state, keep_alive)
        lines += [f"## {name[0].upper()}{name[1:]}", "", *report.table(document["order"], name, summary, (*columns, FAILURES))]
    rows = bounds(summary, [case(*form) for form in forms], document["jvms"])
    if rows:
        lines += ["## Bounds", "", *report.bounds_table(rows)]
    lines += _warnings(document["runs"], summary)
    return "\n".join(lines), any(not met for *_, met in rows)


# Whose limits are by the client's address.
_BY_ADDRESS = ("nginx", "HAProxy", "Traefik", SIGMA)


def _limit(document):
    """What is said of the limits: of those alone that were measured."""
    measured = {run["proxy"] for run in document["runs"]}
    *others, last = [name for name in _BY_ADDRESS if name in measured] or [SIGMA]
    named = f"{', '.join(others)} and {last}" if others else last
    envoy = ", Envoy's is one for all" if "Envoy" in measured else ""
    return [
        "",
        "Each has a limit of a million requests a second for a client, which nobody reaches: what is measured is what looking at it costs. With five a second each",
        f"was seen to refuse. Those of {named} are by the client's address{envoy}; Sigma's answers say what is left of it.",
    ]


def _intro(plan):
    return [
        "10,000 requests of `ab`, 200 at once, with and without `-k`, through each gateway to an nginx that answers from memory; nothing is rewritten or logged.",
        "Cold: the first run of a process, right after its first answer. Warm: after the warm-up, and one run of the same that isn't counted. On 1 core: the",
        "gateway has core 0, `ab` and the upstream core 1. On 2 cores all three share both, so that a gateway that needs less also leaves more to the load.",
        f"Medians over interleaved rounds ({plan['rounds']}; warm: {plan['repeats']} runs in each; warm-up {plan['warm_up_s']} s), ratios taken within each round. CPU is that of all of a gateway's",
        "processes, by the kernel's clock of each. RSS is at the end of a run, most is the highest so far. First answer: from starting it to the first 200.",
        "Each has as many workers as cores. Sigma is `./sigma run -conf` with one route and one node; its transport is then epoll, except in the row that names",
        "another. JVMs: 512 MiB of heap at most, JDK and AOT cache as Sigma has. How each is set up: lab/gateways, `gateway_peers.py`, `gateway_jvms.py`.",
    ]


def _chart(order, cases, summary):
    return chart.bars(order, {name: name for name in cases}, summary, "Mean time and CPU time of a request, by gateway", PANELS, logarithmic_from=0.5)


def _study(summary):
    """The study's means beside the measured ones; those of 8 cores stand alone."""
    lines = [
        "## The study",
        "",
        "OpsGenie's comparison of Zuul 1, nginx, Spring Cloud Gateway and Linkerd (2018) gives these mean times, of `ab -n 10000 -c 200` on virtual machines",
        "of their own for load, gateway and upstream. Of 8 cores it says besides that Zuul was ahead of nginx, Linkerd about like Zuul, and Spring Cloud Gateway,",
        "then a milestone, at 873 requests/s behind all of them. Neither machines nor versions are those measured here: compare the ratios.",
        "",
        "| study's machine | gateway | study, mean ms | × nginx | here, `ab`, mean ms | × nginx | `ab -k`, mean ms | × nginx |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    of_nginx = {machine: ms for machine, gateway, *_, ms in STUDY if gateway == "nginx"}
    for machine, gateway, cores, state, ms in STUDY:
        here = []
        for keep_alive in (False, True):
            row = cores and summary.get((gateway, case(cores, state, keep_alive)))
            # The study has nginx once, warm or not.
            nginx = cores and summary.get(("nginx", case(cores, "warm", keep_alive)))
            here.append(report.millis(row["mean_us"]) if row else "–")
            here.append(report.number(row["mean_us"] / nginx["mean_us"], 2) if row and nginx else "–")
        ratio = report.number(machine in of_nginx and ms / of_nginx[machine] or None, 2)
        first = ", first run" if state == "cold" else ""
        lines.append(f"| {machine} | {gateway}{first} | {ms} | {ratio} | " + " | ".join(here) + " |")
    return [*lines, ""]


def bounds(summary, cases, jvms):
    """[(what, found, expected, met)]: warm Sigma is first of all, cold ahead of every JVM and near nginx, and fails nowhere."""
    found = []
    for name in cases:
        rows = {proxy: row for (proxy, of), row in summary.items() if of == name and proxy != "direct"}
        sigma = rows.get(SIGMA)
        peers = {proxy: row for proxy, row in rows.items() if not proxy.startswith(SIGMA)}
        if sigma and peers:
            found += _warm(name, sigma, peers) if ", warm" in name else _cold(name, sigma, peers, jvms)
    for proxy in sorted({proxy for proxy, _ in summary if proxy.startswith(SIGMA)}):
        failures = sum(sum(row["errors"].values()) for (of, _), row in summary.items() if of == proxy)
        found.append((f"failures ({proxy})", str(failures), "0", failures == 0))
        most = max(row["rss_peak_kib"] for (of, _), row in summary.items() if of == proxy) / 1024
        found.append((f"most memory ({proxy})", f"{most:.0f} MiB", f"<= {MEMORY_MIB_MAX} MiB", most <= MEMORY_MIB_MAX))
    return found


def _warm(name, sigma, peers):
    for what, field in (("CPU per request", "cpu_us_per_request"), ("p99", "p99_us")):
        yield _ratio(name, what, field, sigma, peers, peers)


def _cold(name, sigma, peers, jvms):
    of_jvms = {proxy: row for proxy, row in peers.items() if proxy in jvms}
    for what, field in (("mean time", "mean_us"), ("CPU per request", "cpu_us_per_request")):
        if of_jvms:
            yield _ratio(name, what, field, sigma, of_jvms, of_jvms)
        if "nginx" in peers:
            ratio = sigma[f"{field}_ratio"]
            yield f"{name}: {what}, × nginx", report.number(ratio, 2), f"<= {COLD_RATIO_MAX}", ratio <= COLD_RATIO_MAX


def _ratio(name, what, field, sigma, peers, among):
    """Beside the best of the others."""
    best = min(among, key=lambda proxy: among[proxy][field])
    ratio = sigma[field] / peers[best][field]
    return f"{name}: {what}, × the best {'JVM' if 'cold' in name else 'peer'}'s ({best})", f"{ratio:.2f}", "<= 1.0", ratio <= 1


def _warnings(runs, summary):
    lines = report.warnings(runs, {})
    for (proxy, name), row in summary.items():
        if proxy != "direct" and row["rss_peak_kib"] and row["rss_peak_kib"] / 1024 > MEMORY_MIB_MAX:
            lines.append(f"{proxy}, {name}: {row['rss_peak_kib'] / 1024:,.0f} MiB (expected: <= {MEMORY_MIB_MAX} MiB)\n")
    for proxy in dict.fromkeys(run["proxy"] for run in runs):
        kept = min((run["kept_alive"] / run["requests"] for run in runs if run["proxy"] == proxy and run["case"].endswith("-k")), default=1)
        if kept < KEPT_SHARE_MIN:
            lines.append(f"{proxy}: kept only {100 * kept:.0f} % of the connections of `ab -k` alive.\n")
    return lines
