"""The main road: small answers, keep-alive on both sides, one proxy thread; every proxy in turn, several rounds."""

import json
from types import SimpleNamespace

from . import machine, report
from .bench import TARGET_DIR, Bench, raise_open_files
from .field import Field, require_programs, wanted
from .nginx import Nginx
from .peers import Envoy, HAProxy
from .sigma import default_sigmas, sigmas

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
    return write(document, output_folder(options), options.check)


def _most(field, places, plan):
    """One more number of connections, which only those take part in for whom nobody chose numbers; none where files don't suffice."""
    if not plan.most or not places:
        return []
    if raise_open_files() < plan.most + SPARE_FILES:
        field.left_out[f"{plan.most:,} connections"] = f"{raise_open_files():,} open files allowed (expected: >= {plan.most + SPARE_FILES:,})"
        return []
    return field.runs_in_turn(places, SimpleNamespace(**{**vars(plan), "connections": [plan.most]}))


def output_folder(options):
    """Quick runs prove that everything starts; their figures must not take the place of measured ones."""
    return TARGET_DIR / "quick" if options.quick and options.out == report.RESULTS_DIR else options.out


def write(document, folder, check=False):
    """Writes the raw figures and what is made from them; returns the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{document['kind']}.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    return report.render(path, check)
