"""What the pages of results have in common: their head, tables, and how figures are written."""

from .summary import error_count

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
