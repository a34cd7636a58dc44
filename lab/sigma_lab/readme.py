"""The table of the main road in README.md and README_zh.md, between its two marks, written from the measured road."""

import re

from .bench import ROOT_DIR
from .summary import error_count, summarise

BEGIN, END = "<!-- road-table:begin -->", "<!-- road-table:end -->"
SHOWN = (64, 256, 2000)
_FILES = {"README.md": "en", "README_zh.md": "zh"}
_ABOUT = {
    "en": (
        "CPU time of the proxy per request in microseconds, one proxy thread, all in the same run, {rounds} of {seconds} s on a two-core machine that\n"
        "others used too. {defaults}nginx has an upstream connection for each client; the others let requests wait for one of 64. The\n"
        "whole page, with a chart, is [lab/results/road.md](lab/results/road.md)."
    ),
    "zh": (
        "代理处理每个请求的 CPU 时间（微秒），单个代理线程，同一次运行，双核共享机器（有干扰）上{rounds}（每轮 {seconds} 秒）。{defaults}nginx 为每个客户端保留一个上游连接，"
        "其余代理让请求等待 64 个上游连接之一；完整页面和图表见 [lab/results/road.md](lab/results/road.md)。"
    ),
}
_DEFAULTS = {
    "en": "Sigma, defaults: nothing set but a route{most}.\n",
    "zh": "“Sigma, defaults”：除路由外不作任何设置{most}。",
}
_MOST = {
    "en": "; with {connections:,} connections {cost} µs, {failed} % failed",
    "zh": "；{connections:,} 个连接时 {cost} 微秒，失败 {failed} %",
}


def write(document):
    """Writes both tables anew; leaves a file without the marks as it is."""
    for name, language in _FILES.items():
        path = ROOT_DIR / name
        text = path.read_text()
        if BEGIN in text and END in text:
            before, _, rest = text.partition(BEGIN)
            after = rest.partition(END)[2]
            path.write_text(f"{before}{BEGIN}\n{table(document, language)}\n{END}{after}")
            print(f"written: {name}")


def table(document, language):
    """The text and the table, without the marks."""
    summary = summarise(document["runs"])
    plan = document["plan"]
    lines = [
        _ABOUT[language].format(rounds=_rounds(plan["rounds"], language), seconds=plan["seconds"], defaults=_defaults(document, summary, language)),
        "",
        "| proxy | 64 connections | 256 | 2,000 | p99 at 2,000, ms | RSS at 2,000, MiB | failed at 2,000, % |",
        "|---|" + "---:|" * 6,
    ]
    for name in document["order"]:
        rows = [summary.get((name, connections)) for connections in SHOWN]
        if name == "direct" or None in rows:
            continue
        costs = " | ".join(f"{row['cpu_us_per_request']:.2f}" for row in rows)
        last = rows[-1]
        figures = f"{last['p99_us'] / 1000:.0f} | {last['rss_kib'] / 1024:.0f} | {_failed(document, name, SHOWN[-1])}"
        lines.append(f"| {_title(name, document['versions'])} | {costs} | {figures} |")
    return "\n".join(lines)


def _rounds(count, language):
    if language == "en":
        return "one round" if count == 1 else f"the median of {count} rounds"
    return "一轮" if count == 1 else f"{count} 轮的中位数"


def _defaults(document, summary, language):
    names = [name for name in document["order"] if name.startswith("Sigma defaults")]
    if not names:
        return ""
    most = document["plan"].get("most")
    rows = [name for name in names if (name, most) in summary]
    more = ""
    if rows:
        cost = " / ".join(f"{summary[name, most]['cpu_us_per_request']:.2f}" for name in rows)
        failed = " / ".join(_failed(document, name, most) for name in rows)
        more = _MOST[language].format(connections=most, cost=cost, failed=failed)
    return _DEFAULTS[language].format(most=more)


def _failed(document, name, connections):
    runs = [run for run in document["runs"] if (run["proxy"], run["connections"]) == (name, connections)]
    failed = sum(error_count(run["errors"]) for run in runs)
    share = 100 * failed / max(1, sum(run["requests"] for run in runs))
    return "0" if failed == 0 else f"{share:.2g}"


def _title(name, versions):
    if name.startswith("Sigma"):
        return re.sub(" ", ", ", name)
    found = re.search(r"(\d+\.\d+)", versions.get(name, ""))
    return f"{name} {found.group(1)}" if found else name
