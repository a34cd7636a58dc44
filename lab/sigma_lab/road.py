"""The main road: small answers, keep-alive on both sides, one proxy thread; every proxy in turn, several rounds."""

from types import SimpleNamespace

from . import bounds, chart, machine, readme, report
from .bench import Bench, raise_open_files
from .field import Field, require_programs, wanted
from .nginx import Nginx
from .peers import Envoy, HAProxy
from .results import RESULTS_DIR, output_folder, write
from .sigma import NATIVE, default_sigmas, sigmas
from .summary import summarise

QUICK = SimpleNamespace(connections=[64, 2000], most=0, rounds=1, seconds=1, warm_up_s=1)
# Files beside the connections that the load, or a proxy, has open.
SPARE_FILES = 1_000


def road(options):
    """Runs the experiment and writes road.json, road.md and road.svg; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx")
    plan = QUICK if options.quick else options
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        default = default_sigmas(options.sigma)
        proxies = [Nginx(), HAProxy(), Envoy(), *sigmas(options.sigma), *default]
        field = Field(bench, options, wanted(proxies, options.only))
        places = field.start_all()
        entrants = [field.upstream.place, *places]
        field.warm_up(places, plan)
        runs = field.runs_in_turn(entrants, plan)
        untuned = [place for place in places if place.name in {proxy.name for proxy in default}]
        runs += _most(field, untuned, plan)
        document = {
            "kind": "road",
            "machine": facts,
            "versions": {**field.versions, **machine.versions()},
            "plan": {key: getattr(plan, key) for key in ("connections", "most", "rounds", "seconds", "warm_up_s")},
            "left_out": field.left_out,
            "verified": field.verified,
            "order": [place.name for place in entrants],
            "runs": runs,
        }
    return write(document, page, output_folder(options), options.check)


def _most(field, places, plan):
    """One more number of connections, which only those take part in for whom nobody chose numbers; none where files don't suffice."""
    if not plan.most or not places:
        return []
    if raise_open_files() < plan.most + SPARE_FILES:
        field.left_out[f"{plan.most:,} connections"] = f"{raise_open_files():,} open files allowed (expected: >= {plan.most + SPARE_FILES:,})"
        return []
    return field.runs_in_turn(places, SimpleNamespace(**{**vars(plan), "connections": [plan.most]}))


def page(document, json_path):
    """The Markdown, and whether a bound is missed; the measured ones go to the README, too."""
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
    lines = report.page("The main road", document, intro)
    for connections in [*plan["connections"], plan.get("most")]:
        rows = report.table(document["order"], connections, summary)
        if len(rows) > report.HEAD_LINES:
            lines += [f"## {connections:,} connections", "", *rows]
    rows = bounds.road_bounds(summary)
    if rows:
        lines += ["## Bounds", "", *report.bounds_table(rows)]
    lines += report.warnings(document["runs"], summary)
    if json_path.parent == RESULTS_DIR and NATIVE not in document["versions"]:
        readme.write(document)
    return "\n".join(lines), any(not met for *_, met in rows)
