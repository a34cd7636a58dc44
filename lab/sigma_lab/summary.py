"""From runs to what is reported: medians over the rounds, and ratios to nginx (or another) taken within each round."""

from statistics import median

FIELDS = (
    "rps",
    "cpu_us_per_request",
    "switches_per_request",
    "mean_us",
    "p50_us",
    "p95_us",
    "p98_us",
    "p99_us",
    "max_us",
    "rss_kib",
    "rss_peak_kib",
    "first_answer_ms",
    "others_share",
    "proxy_core_busy",
    "load_core_busy",
)
RATIOS = ("rps", "cpu_us_per_request", "mean_us", "p99_us")
REFERENCE = "nginx"


def summarise(runs, reference_name=REFERENCE):
    """Returns {(proxy, case): row}; a case is the number of connections, or an extra scenario's name."""
    groups = {}
    for run in runs:
        groups.setdefault((run["proxy"], case_of(run)), []).append(run)
    reference = {(case_of(run), run["round"]): run for run in runs if run["proxy"] == reference_name}
    return {key: _row(group, reference) for key, group in groups.items()}


def case_of(run):
    return run.get("case", run["connections"])


def error_count(errors):
    return sum(errors.values())


def _row(group, reference):
    row = {name: _median(group, name) for name in FIELDS}
    for name in RATIOS:
        ratios = [
            run[name] / peer[name]
            for run in group
            for peer in [reference.get((case_of(run), run["round"]))]
            if peer and run.get(name) and peer.get(name)
        ]
        row[f"{name}_ratio"] = median(ratios) if ratios else None
    kinds = dict.fromkeys(kind for run in group for kind in run["errors"])
    row["errors"] = {kind: sum(run["errors"].get(kind, 0) for run in group) for kind in kinds}
    served = [run["least_served"] for run in group if run.get("least_served") is not None]
    row["least_served"] = min(served) if served else None
    row["max_us"] = max(run["max_us"] for run in group)
    row["opened_per_1000"] = max(1000 * run.get("upstream_opened", 0) / max(1, run["requests"]) for run in group)
    costs = [run["cpu_us_per_request"] for run in group if "cpu_us_per_request" in run]
    row["spread"] = (max(costs) - min(costs)) / median(costs) if costs and median(costs) else None
    return row


def _median(group, name):
    values = [run[name] for run in group if run.get(name) is not None]
    return median(values) if values else None
