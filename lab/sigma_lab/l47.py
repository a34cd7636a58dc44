"""Layer 4 beside layer 7: Sigma with each thread model, allocator, and bodies collected or not, all in front of one upstream."""

from statistics import median
from types import SimpleNamespace

from . import chart, machine, report
from .bench import Bench
from .field import PlainField, require_programs, wanted
from .results import output_folder, write
from .sigma import Sigma, plain, sigma_json
from .summary import summarise
from .verify import UPSTREAM_PATH

QUICK = SimpleNamespace(connections=[64], rounds=1, seconds=1, warm_up_s=1)
TRANSPORT = "epoll"
MODELS = ("reuse-server-thread", "reuse-server-group", "individual-group")
ALLOCATORS = ("unpooled", "adaptive")
COLLECTED = ("2000B", "100000000B")
# Two Workers on the one core, or a group would have one event loop and be no other than its only thread.
GROUP_WORKERS = 2
LAYER_RATIO_MAX = 1.35


class Variant(Sigma):
    """Sigma at one layer, without rewriting, in one of the ways that are compared."""

    def __init__(self, layer, *, workers=1, model=MODELS[0], allocator="pooled", collected=None, launcher=None):
        super().__init__(TRANSPORT, launcher)
        self.layer, self.workers = layer, workers
        self.model, self.allocator, self.collected = model, allocator, collected
        ways = [f"{workers} Workers, {model}" if workers > 1 else None, None if allocator == "pooled" else allocator]
        ways.append(f"collected up to {collected}" if collected else None)
        self.name = ", ".join([f"L{layer}", *(way for way in ways if way)])

    def config(self, port, upstream_port, log):
        config = sigma_json(port, upstream_port, self.transport, log)
        config["runtime"].update({"thread-model": self.model, "allocator": self.allocator})
        server = config["proxy-server"]["http"]
        if self.collected:
            server["max-content-length"] = self.collected
            config["runtime"]["body-memory"] = "128MiB"
        plain(config)
        if self.layer == 4:
            del config["router"], config["proxy-client"], config["limits"]
            config["timeouts"] = {}
            config["proxy-server"] = {"tcp": [{**server, "proxy-pass-id": "up"}]}
            config["upstream"][0]["nodes"] = [f"tcp://127.0.0.1:{upstream_port}"]
        return config


def variants(launcher=None):
    """All that are compared, by layer: the plain one, thread models, allocators, collecting."""
    every = []
    for layer in (4, 7):
        every.append(Variant(layer, launcher=launcher))
        every += [Variant(layer, workers=GROUP_WORKERS, model=model, launcher=launcher) for model in MODELS]
        every += [Variant(layer, allocator=allocator, launcher=launcher) for allocator in ALLOCATORS]
    return every + [Variant(7, collected=collected, launcher=launcher) for collected in COLLECTED]


def l4_l7(options):
    """Runs the experiment and writes l4-l7.json, .md and .svg; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx")
    plan = QUICK if options.quick else options
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = PlainField(bench, options, wanted(variants(options.sigma), options.only))
        places = field.start_all()
        field.warm_up(places, plan, UPSTREAM_PATH)
        entrants = [field.upstream.place, *places]
        runs = field.runs_in_turn(entrants, plan, path=UPSTREAM_PATH)
        document = {
            "kind": "l4-l7",
            "machine": facts,
            "versions": {**field.versions, **machine.versions()},
            "plan": {key: getattr(plan, key) for key in ("connections", "rounds", "seconds", "warm_up_s")},
            "left_out": field.left_out,
            "verified": field.verified,
            "order": [place.name for place in entrants],
            "runs": runs,
        }
    return write(document, page, output_folder(options), options.check)


def page(document, json_path):
    """The Markdown, and whether a bound is missed."""
    runs = document["runs"]
    plan = document["plan"]
    summary = summarise(runs)
    losses = {key: _ratio(runs, *key, "direct", "rps") for key in summary}
    costs = {key: _ratio(runs, *key, "L4", "cpu_us_per_request") for key in summary}
    image = json_path.with_suffix(".svg")
    image.write_text(chart.road_chart(document["order"], plan["connections"], summary))
    intro = [
        "Sigma in front of nginx, small JSON answers, keep-alive on both sides, no rewriting, no access log; load (wrk) and upstream on another core.",
        f"All of Sigma's threads on one core, one Worker where nothing else is said, {TRANSPORT}, pooled buffers. Medians over interleaved rounds",
        f"({plan['rounds']}, runs of {plan['seconds']} s); loss and × L4 are taken within each round. A layer 4 session has a connection to the upstream of its own,",
        "layer 7 shares 64. With two Workers every second connection of `reuse-server-group` is on its client's event loop by chance.",
        "",
        *_sentences(plan["connections"], summary, losses, costs),
        "",
        f"![CPU time per request and requests per second]({image.name})",
    ]
    lines = report.page("Layer 4 and layer 7", document, intro)
    rows = []
    for connections in plan["connections"]:
        lines += [f"## {connections:,} connections", "", *_table(document["order"], connections, summary, losses, costs)]
        found = costs.get(("L7", connections))
        if found is not None:
            what = f"CPU per request of layer 7 at {connections}, × layer 4"
            rows.append((what, f"{found:.2f}", f"<= {LAYER_RATIO_MAX}", found <= LAYER_RATIO_MAX))
    if rows:
        lines += ["## Bounds", "", *report.bounds_table(rows)]
    lines += report.warnings(runs, {key: row for key, row in summary.items() if key[0].startswith("L7")})
    return "\n".join(lines), any(not met for *_, met in rows)


def _table(order, connections, summary, losses, costs):
    def of(found, name):
        return found.get((name, connections))

    lines = ["| | requests/s | loss % | CPU µs/request | × L4 | ± % | switches/request | p99 ms | RSS MiB | errors |", "|---|" + "---:|" * 9]
    for name in order:
        row = of(summary, name)
        if row:
            kept = of(losses, name)
            cells = [
                f"{row['rps']:,.0f}",
                "–" if kept is None or name == "direct" else f"{100 * (1 - kept):.0f}",
                report.number(row["cpu_us_per_request"], 2),
                report.number(of(costs, name), 2),
                report.number(row["spread"] and 50 * row["spread"], 0),
                report.number(row["switches_per_request"], 3),
                report.millis(row["p99_us"]),
                report.number(row["rss_kib"] and row["rss_kib"] / 1024, 0),
                report.errors(row["errors"]),
            ]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines + [""]


def _sentences(all_connections, summary, losses, costs):
    """What the figures show, said by the figures."""
    for connections in all_connections:

        def cost(layer, *way):
            row = summary.get((", ".join([f"L{layer}", *way]), connections))
            return row and row["cpu_us_per_request"]

        def times(layer, way):
            two = f"{GROUP_WORKERS} Workers, "
            plain = cost(layer, two + MODELS[0]) if way in MODELS else cost(layer)
            other = cost(layer, two + way) if way in MODELS else cost(layer, way)
            return f"{other / plain:.2f}" if plain and other else "–"

        lost = losses.get(("L4", connections)), losses.get(("L7", connections))
        if None in lost or costs.get(("L7", connections)) is None:
            continue
        yield (
            f"At {connections} connections a request costs {costs['L7', connections]:.2f} times as much CPU at layer 7 as at layer 4, and "
            f"{100 * (1 - lost[0]):.0f} and {100 * (1 - lost[1]):.0f} % of what the load gets directly are lost at layers 4 and 7. Connections to nodes on any event "
            f"loop of the group cost {times(4, MODELS[1])} and {times(7, MODELS[1])} times the CPU, on event loops of their own {times(4, MODELS[2])} and "
            f"{times(7, MODELS[2])} times; unpooled buffers {times(4, 'unpooled')} and {times(7, 'unpooled')}, adaptive ones {times(4, 'adaptive')} and "
            f"{times(7, 'adaptive')}; collecting bodies up to 2,000 and 100,000,000 bytes "
            f"{times(7, f'collected up to {COLLECTED[0]}')} and {times(7, f'collected up to {COLLECTED[1]}')}."
        )


def _ratio(runs, name, connections, reference, field):
    """The median over the rounds of `name`'s figure as a share of the reference's in the same round, or None."""
    of_reference = {run["round"]: run for run in runs if run["proxy"] == reference and run["connections"] == connections}
    ratios = [
        run[field] / of_reference[run["round"]][field]
        for run in runs
        if run["proxy"] == name and run["connections"] == connections and run.get(field) and run["round"] in of_reference
    ]
    return median(ratios) if ratios else None
