"""Markdown and charts, made from the raw JSON alone, so that they can be made again at any time."""

import json

from . import bounds, chart, readme
from .bench import LAB_DIR
from .summary import case_of, error_count, summarise

RESULTS_DIR = LAB_DIR / "results"
# Of a table without rows: its two, and the empty one behind.
HEAD_LINES = 3
OTHERS_SHARE_NOTED = 0.05
OPENED_PER_1000_NOTED = 10

COLUMNS = (
    ("CPU µs/request", lambda row: number(row["cpu_us_per_request"], 2)),
    ("× nginx", lambda row: number(row["cpu_us_per_request_ratio"], 2)),
    ("± %", lambda row: number(row["spread"] and 50 * row["spread"], 0)),
    ("requests/s", lambda row: f"{row['rps']:,.0f}"),
    ("× nginx", lambda row: number(row["rps_ratio"], 2)),
    ("p50 ms", lambda row: millis(row["p50_us"])),
    ("p99 ms", lambda row: millis(row["p99_us"])),
    ("max ms", lambda row: millis(row["max_us"])),
    ("least served", lambda row: number(row["least_served"], 2)),
    ("switches/request", lambda row: number(row["switches_per_request"], 3)),
    ("busy %", lambda row: f"{percent(row['proxy_core_busy'])} / {percent(row['load_core_busy'])}"),
    ("RSS MiB", lambda row: number(row["rss_kib"] and row["rss_kib"] / 1024, 0)),
    ("errors", lambda row: errors(row["errors"])),
)


def run_line(run):
    """One run on the terminal."""
    where = run.get("case") or f"{run['connections']:>5} connections"
    cost = f"{run['cpu_us_per_request']:6.2f} µs CPU/request" if "cpu_us_per_request" in run else " " * 22
    line = f"round {run['round']}  {where}  {run['proxy']:<15} {run['rps']:>9,.0f} requests/s {cost}  p99 {millis(run['p99_us'])} ms"
    count = error_count(run["errors"])
    if count:
        line += f"  errors: {errors(run['errors'])}"
    if run.get("others_share", 0) > OTHERS_SHARE_NOTED:
        line += f"  (others used {100 * run['others_share']:.0f} % of the proxy's core)"
    return line


def render(json_path, check=False):
    """Writes the Markdown (and the chart of the main road) beside the JSON; returns the exit code."""
    document = json.loads(json_path.read_text())
    pages = {"road": _road_page, "road-extra": _extra_page, "mosn": _mosn_page, "l4-l7": _l4_l7_page, "sessions": _sessions_page, "chaos": _chaos_page}
    text, missed = pages.get(document["kind"], _sheet_page)(document, json_path)
    markdown = json_path.with_suffix(".md")
    markdown.write_text(text)
    if document["kind"] == "road" and json_path.parent == RESULTS_DIR:
        readme.write(document)
    print(f"\n{text}\nwritten: {markdown.name}, {json_path.name} in {markdown.parent}")
    return 1 if check and missed else 0


def page(title, document, intro):
    """The head that all result pages share: title, what was done, machine, versions."""
    facts = document["machine"]
    lines = [f"# {title}", "", *intro, ""]
    lines += ["| machine | |", "|---|---|"]
    lines += [
        f"| CPU | {facts['cpu']}, {facts['cores']} cores, {facts['threads_per_core']} thread(s) each; hypervisor: {facts['virtual']} |",
        f"| memory | {facts['memory_gib']} GiB |",
        f"| system | {facts['system']}, Linux {facts['kernel']} |",
        f"| date, commit | {facts['date']}, {facts['commit']} |",
        f"| programs | {'; '.join(_versioned(*entry) for entry in document['versions'].items())} |",
    ]
    if facts.get("sigma_java_opts"):
        lines.append(f"| SIGMA_JAVA_OPTS | `{facts['sigma_java_opts']}` |")
    if facts.get("nice"):
        lines.append(f"| priority | nice {facts['nice']} |")
    for name, reason in document.get("left_out", {}).items():
        lines.append(f"| left out | {name}: {reason} |")
    return lines + [""]


def bounds_table(rows):
    """Bounds as a table; each row is (what, found, expected, met)."""
    lines = ["| bound | found | expected | |", "|---|---:|---:|---|"]
    lines += [f"| {what} | {found} | {expected} | {'met' if met else '**missed**'} |" for what, found, expected, met in rows]
    return lines + [""]


def _road_page(document, json_path):
    summary = summarise(document["runs"])
    plan = document["plan"]
    image = json_path.with_suffix(".svg")
    image.write_text(chart.road_chart(document["order"], plan["connections"], summary))
    intro = [
        "Keep-alive on both sides, `/test/*` rewritten to `/*`, small JSON answers, no access log. One proxy thread on one core;",
        "load (wrk) and upstream (nginx) on another. CPU is utime + stime of all of the proxy's processes, per completed request;",
        f"medians over interleaved rounds ({plan['rounds']}, runs of {plan['seconds']} s), ratios taken within each round; RSS while under",
        "load; busy: the proxy's core / the core of load and upstream. Sigma defaults: nothing set but a route and its transport, so that connections to the",
        "upstream are as many as Sigma finds right, and a client's ends after 10,000 requests.",
        "",
        f"![CPU time per request and requests per second]({image.name})",
    ]
    lines = page("The main road", document, intro)
    for connections in [*plan["connections"], plan.get("most")]:
        rows = table(document["order"], connections, summary)
        if len(rows) > HEAD_LINES:
            lines += [f"## {connections:,} connections", "", *rows]
    rows = bounds.road_bounds(summary)
    if rows:
        lines += ["## Bounds", "", *bounds_table(rows)]
    lines += warnings(document["runs"], summary)
    return "\n".join(lines), any(not met for *_, met in rows)


def _extra_page(document, _json_path):
    summary = summarise(document["runs"])
    intro = [
        "Other kinds of traffic, each with the access log off and on. Same machine, pinning and configuration as the main road.",
        f"Medians over rounds: {document['plan']['rounds']}. `cold` is `ab -n 10000 -c 200 -k` right after each program's first answer.",
    ]
    lines = page("Beside the main road", document, intro)
    for case in dict.fromkeys(case_of(run) for run in document["runs"]):
        lines += [f"## {case}", "", *table(document["order"], case, summary)]
    lines += warnings(document["runs"], summary)
    return "\n".join(lines), False


def _l4_l7_page(document, json_path):
    from . import l47

    return l47.page(document, json_path)


def _sessions_page(document, json_path):
    from . import sessions

    return sessions.page(document, json_path)


def _mosn_page(document, json_path):
    from . import mosn

    return mosn.page(document, json_path)


def _chaos_page(document, json_path):
    from . import chaos_page

    return chaos_page.page(document, json_path)


def _sheet_page(document, json_path):
    from . import sheet

    return sheet.page(document, json_path)


def table(order, case, summary, columns=COLUMNS):
    """One case as a table, a row for each proxy; a column is (heading, what it shows of a row)."""
    lines = ["| proxy | " + " | ".join(name for name, _ in columns) + " |", "|---|" + "---:|" * len(columns)]
    for name in order:
        if (name, case) in summary:
            row = summary[name, case]
            lines.append(f"| {name} | " + " | ".join(shown(row) for _, shown in columns) + " |")
    return lines + [""]


def warnings(runs, summary):
    lines = []
    noisy = [run for run in runs if run.get("others_share", 0) > OTHERS_SHARE_NOTED]
    if noisy:
        worst = max(run["others_share"] for run in noisy)
        lines.append(
            f"**Noisy:** in {len(noisy)} of {len(runs)} runs something else used more than {100 * OTHERS_SHARE_NOTED:.0f} % "
            f"of the proxy's core (up to {100 * worst:.0f} %)."
        )
    for (name, case), row in summary.items():
        if name != "direct" and row["opened_per_1000"] > OPENED_PER_1000_NOTED:
            lines.append(f"{name} at {case}: opened {row['opened_per_1000']:.0f} upstream connections per 1,000 requests.")
    return [line + "\n" for line in lines]


def _versioned(name, version):
    return version if version.lower().startswith(name.lower()) else f"{name} {version}"


def errors(counts):
    shown = [f"{count} {kind}" for kind, count in counts.items() if count]
    return ", ".join(shown) or "0"


def number(value, digits):
    return "–" if value is None else f"{value:,.{digits}f}"


def percent(share):
    return "–" if share is None else f"{min(100, 100 * share):.0f}"


def millis(micros):
    return f"{micros / 1000:.1f}" if micros >= 10_000 else f"{micros / 1000:.2f}"
