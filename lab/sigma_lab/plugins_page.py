"""The page of what policies cost: the figures beside each other, and what Sigma has to reach."""

from dataclasses import dataclass
from statistics import median

from . import report
from .summary import summarise

# The forms of a program begin with its name; the cheapest of them counts.
PEERS = ("nginx", "HAProxy", "Envoy")
SIGMA = "Sigma"
# Beside these no policy may cost more.
BOUND_PEERS = ("nginx", "Envoy")
# What two runs of the same differ by.
NOISE = 0.03
FILES_RATIO_MAX = {"file of 1 KiB": 1.0, "file of 10 MiB": 1.10}
TEN_RATIO_MAX = 1.15
PLAIN, TEN = "no policy", "ten plugins"


@dataclass(frozen=True)
class Ratio:
    """Of two costs, taken within each round: the median, the least and the greatest."""

    value: float
    least: float
    most: float

    def __str__(self):
        spread = f" ({self.least:.2f}–{self.most:.2f})" if f"{self.least:.2f}" != f"{self.most:.2f}" else ""
        return f"{self.value:.2f}{spread}"


class Costs:
    """CPU per request, by case and proxy."""

    def __init__(self, document):
        self._runs = {}
        for run in document["runs"]:
            self._runs.setdefault((run["proxy"], run["case"]), {})[run["round"]] = run["cpu_us_per_request"]
        self.order = document["order"]
        self.sigma = next((name for name in self.order if name.startswith(SIGMA)), None)
        self._apart = document.get("apart", {})
        self.cases = list(dict.fromkeys(run["case"] for run in document["runs"]))

    def of(self, proxy, case):
        """The median; None where it takes no part."""
        rounds = self._runs.get((proxy, case))
        return median(rounds.values()) if rounds else None

    def form(self, program, case):
        """The cheapest form of a program, by its name; None where none takes part."""
        forms = [name for name in self.order if name.split()[0] == program and (name, case) in self._runs]
        return min(forms, key=lambda name: self.of(name, case), default=None)

    def best(self, case):
        """The cheapest of the peers that do the same."""
        forms = [self.form(peer, case) for peer in PEERS if not self.is_apart(peer, case)]
        return min((name for name in forms if name), key=lambda name: self.of(name, case), default=None)

    def is_apart(self, program, case):
        """Whether it does something else under that name, and is shown alone."""
        return program in self._apart.get(case, {})

    def ratio(self, case, proxy, other_case, other):
        """Of one to another within each round; None where they have none in common."""
        one, of = self._runs.get((proxy, case), {}), self._runs.get((other, other_case), {})
        ratios = [cost / of[number] for number, cost in one.items() if of.get(number)]
        return Ratio(median(ratios), min(ratios), max(ratios)) if ratios else None


def page(document, _json_path):
    """The Markdown of the result, and whether a bound is missed."""
    costs, summary = Costs(document), summarise(document["runs"])
    lines = report.page("What policies cost", document, [*_intro(document["plan"]), "", *_departures(document)])
    lines += _table(costs)
    lines += _bytes(document, costs)
    lines += _copies(document["runs"], costs)
    lines += _cold(document, costs)
    rows = bounds(costs, summary, document["left_out"])
    if rows:
        lines += ["## Bounds", "", *_said_of_bounds(), *report.bounds_table(rows)]
    for name in costs.cases:
        lines += [f"## {name}", "", *report.table(document["order"], name, summary)]
    lines += report.warnings(document["runs"], summary)
    return "\n".join(lines), any(not met for *_, met in rows)


def _intro(plan):
    warm_up = f"Before, each case of each proxy has {plan['warm_up_s']} s of its load"
    if "warm_up_requests" in plan:
        warm_up += f", and more until it has had {plan['warm_up_requests']:,} requests, {plan['warm_up_max_s']} s at most"
    return [
        "The same policy in nginx, HAProxy, Envoy and Sigma, each on a path of its own of one process; Sigma with nothing set but the routes and their plugins,",
        "on epoll. CPU is utime + stime of all of a proxy's processes, per completed request. One proxy thread on one core; load (wrk) and upstream",
        f"(nginx) on another. Medians over interleaved rounds: {plan['rounds']}, runs of {plan['seconds']} s; ratios are taken within each round, and in brackets stands how far they went.",
        f"{warm_up}. Each policy was seen to act before it was measured, and its check to fail on a path without it.",
        "",
        "A key is the same in all requests, and so is a token but where it says `not cached`: there each request has the next of 2,000, and nobody keeps what was",
        "verified: Sigma with `remembered` at 0, Envoy without `jwt_cache_config`, nginx without the memory of its Lua. HAProxy never keeps it.",
    ]


def _departures(document):
    """What isn't the same."""
    lines = [
        "Not the same in all: nginx can't leave out `Server`; it, HAProxy and Envoy have keys as texts, Sigma as digests that are compared in constant time; limits are",
        "by the client's address, Envoy's is one for all.",
    ]
    for case, who in document.get("apart", {}).items():
        lines += [f"{case}: {proxy} {why}, and isn't among those that are compared." for proxy, why in who.items()]
    return lines


def _table(costs):
    own = costs.sigma
    programs = [*PEERS, own or SIGMA]
    ratios = ["best", *PEERS]
    lines = ["µs of CPU for each request; of nginx's forms the cheapest:", ""]
    lines += ["| case | " + " | ".join([*programs, *(f"Sigma × {name}" for name in ratios)]) + " |"]
    lines += ["|---|" + "---:|" * (len(programs) + len(ratios))]
    for case in costs.cases:
        forms = {peer: costs.form(peer, case) for peer in PEERS}
        shown = [_cost(costs, case, forms[peer]) for peer in PEERS] + [_cost(costs, case, own)]
        best = costs.best(case)
        shown += [_shown(costs.ratio(case, own, case, best)) + (f" {best}" if best and own else "")]
        shown += [_shown(None if costs.is_apart(peer, case) else costs.ratio(case, own, case, forms[peer])) for peer in PEERS]
        lines.append(f"| {case} | " + " | ".join(shown) + " |")
    return [*lines, ""]


def _cost(costs, case, name):
    cost = costs.of(name, case)
    form = f" {name.split(maxsplit=1)[1]}" if cost and " " in name and name.startswith(PEERS) else ""
    return report.number(cost, 2) + form


def _shown(ratio):
    return "–" if ratio is None else str(ratio)


def _bytes(document, costs):
    """What comes of a second of CPU where bytes are what counts, and what is left of them where they are compressed."""
    lines = []
    for case, size in document["sizes"].items():
        said = []
        for proxy in document["order"]:
            cost = costs.of(proxy, case)
            if not cost:
                continue
            packed = document.get("verified", {}).get(proxy, {}).get("cases", {}).get(case, {}).get("bytes")
            ratio = f" (to {100 * packed / size:.1f} %)" if packed else ""
            said.append(f"{proxy} {size / cost * 1e6 / (1 << 20):,.0f}{ratio}")
        if said:
            lines.append(f"{case}, MiB of it for each second of CPU: {', '.join(said)}.\n")
    return lines


def _copies(runs, costs):
    """How often the node was asked, where that is what a policy does."""
    lines = []
    for case in ("forward auth", "mirror"):
        asked = {}
        for run in runs:
            if run["case"] == case and "upstream_answered" in run:
                asked.setdefault(run["proxy"], []).append(run["upstream_answered"] / max(1, run["requests"]))
        if asked:
            lines.append(f"{case}, requests at the node for each of a client's: " + ", ".join(f"{name} {median(found):.2f}" for name, found in asked.items()) + ".\n")
    return lines


def _cold(document, costs):
    """Who had fewer requests than it should have before it was measured."""
    wanted = document["plan"].get("warm_up_requests", 0)
    few = [
        f"{proxy}, {case}: {requests:,}"
        for case, proxies in document.get("warmed", {}).items()
        for proxy, requests in proxies.items()
        if case in costs.cases and requests < wanted
    ]
    return [f"Had fewer than {wanted:,} requests before: {'; '.join(few)}.\n"] if few else []


def _said_of_bounds():
    return [
        f"What isn't more than in nginx or Envoy may be {100 * NOISE:.0f} % above them, as two runs of the same differ by so much; of files the bounds are as they stand.",
        "",
    ]


def bounds(costs, summary, left_out):
    """[(what, found, expected, met)]; empty where Sigma took no part."""
    own = costs.sigma
    if not own:
        return []
    found = []
    for case in costs.cases:
        for peer in BOUND_PEERS:
            form = costs.form(peer, case)
            ratio = costs.ratio(case, own, case, form)
            if ratio and case != PLAIN and not case.startswith("file"):
                found.append(_at_most(f"{case}: CPU, × {form}", ratio, 1 + NOISE))
            elif ratio and case in FILES_RATIO_MAX:
                found.append(_at_most(f"{case}: CPU, × {form}", ratio, FILES_RATIO_MAX[case]))
    ten = costs.ratio(TEN, own, PLAIN, own)
    if ten:
        found.append(_at_most(f"{TEN}: CPU, × {PLAIN}", ten, TEN_RATIO_MAX))
    absent = sum(name.startswith(own) for name in left_out)
    found.append((f"cases left out ({own})", str(absent), "0", absent == 0))
    errors = sum(sum(row["errors"].values()) for (proxy, _), row in summary.items() if proxy == own)
    found.append((f"errors ({own})", str(errors), "0", errors == 0))
    return found


def _at_most(what, ratio, bound):
    return what, str(ratio), f"<= {bound:.2f}", ratio.value <= bound
