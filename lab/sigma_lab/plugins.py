"""What policies cost: the same in nginx, HAProxy, Envoy and Sigma, each case on a path of its own of the same process; and files."""

import time
from types import SimpleNamespace

from . import load, machine, measure, report, verify
from .bench import Bench, LabError
from .field import Field, in_turn, require_programs, wanted
from .nginx import Upstream
from .plugins_cases import LOCATIONS, LOG, cases, json_of_an_api, make_files
from .plugins_checks import Asked
from .plugins_envoy import PoliticEnvoy
from .plugins_haproxy import PoliticHAProxy
from .plugins_nginx import BrotliNginx, LuaNginx, NopushNginx, PoliticNginx
from .plugins_page import page
from .plugins_sigma import PoliticSigma
from .results import output_folder, write
from .tokens import EcIssuer, RsaIssuer

QUICK = SimpleNamespace(rounds=1, seconds=1, warm_up_s=1, warm_up_requests=1)
# A case isn't warmed up for longer, however slow its requests are.
WARM_UP_MAX_S = 30


def plugins(options):
    """Runs the experiment and writes plugins.json and plugins.md; returns the exit code."""
    require_programs("taskset", "ss", "wrk", "nginx", "openssl", "curl")
    plan = QUICK if options.quick else options
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        issuers = (RsaIssuer(bench.folder), EcIssuer(bench.folder))
        files = make_files(bench.folder / "files")
        upstream = Upstream(bench, files={"json": json_of_an_api()}, locations=LOCATIONS)
        nginxes = [PoliticNginx(files), NopushNginx(files), LuaNginx(issuers), BrotliNginx()]
        proxies = [*nginxes, PoliticHAProxy(issuers), PoliticEnvoy(issuers), PoliticSigma(files, issuers, options.sigma)]
        every = _named(cases(issuers, files, bench.folder), options.cases)
        field = PolicyField(bench, options, wanted(proxies, options.only), upstream, every)
        places = field.start_all()
        warmed = _warm_up(bench, places, plan)
        runs = _runs(bench, field, places, plan, every)
        document = {
            "kind": "plugins",
            "machine": facts,
            "versions": {**field.versions, **machine.versions()},
            "plan": {**{key: getattr(plan, key) for key in ("rounds", "seconds", "warm_up_s", "warm_up_requests")}, "warm_up_max_s": WARM_UP_MAX_S},
            "sizes": {case.name: case.size for case in every if case.size},
            "apart": {case.name: case.apart for case in every if case.apart},
            "left_out": field.left_out,
            "verified": field.verified,
            "warmed": warmed,
            "order": [place.name for place in places],
            "runs": runs,
        }
    return write(document, page, output_folder(options), options.check)


def _named(every, words):
    """Those cases that have one of the words in their names."""
    chosen = [case for case in every if any(word in case.name for word in words.split(","))] if words else every
    if not chosen:
        raise LabError(f"--cases: {words} (expected: words of {'; '.join(case.name for case in every)})")
    return chosen


def _warm_up(bench, places, plan):
    """Each case of each place for a while, and until it has had so many requests; returns how many."""
    warmed = {}
    for place in places:
        for case in place.cases:
            began, requests = time.monotonic(), 0
            while not requests or (requests < plan.warm_up_requests and time.monotonic() - began < WARM_UP_MAX_S):
                requests += load.wrk(bench, place.url(case.path), case.connections, max(1, plan.warm_up_s), case.words)["requests"] or 1
            warmed.setdefault(case.name, {})[place.name] = requests
        print(f"warm: {place.name}", flush=True)
    return warmed


def _runs(bench, field, places, plan, every):
    runs = []
    for number, case, place in in_turn(plan.rounds, every, places):
        if case not in place.cases:
            continue

        def run(place=place, case=case):
            return measure.run(bench, place, field.upstream, case.connections, plan.seconds, path=case.path, kind=case.words)

        result = field.attempted(place, case.name, run)
        if result:
            runs.append({"proxy": place.name, "case": case.name, "connections": case.connections, "round": number, **result})
            print(report.run_line(runs[-1]), flush=True)
    return runs


class PolicyField(Field):
    """Those that have policies: a place has the cases that it takes, each of which was seen to act."""

    def __init__(self, bench, options, proxies, upstream, every):
        super().__init__(bench, options, proxies, upstream)
        self._cases = every

    def start(self, proxy, access_log=False, check=True, java_options=""):
        place = super().start(proxy, access_log, check, java_options)
        if place:
            asked = Asked(place, proxy.departs, self.bench.folder / "upstream" / LOG)
            place.cases = [case for case in self._cases if proxy.takes(case) and self._acts(asked, case)]
            print(f"verified: {place.name}: {', '.join(case.name for case in place.cases) or 'none'}", flush=True)
        return place

    def _acts(self, asked, case):
        """Whether the policy of a case acts, and its check fails where there is none; what fails is left out, and named."""
        name = asked.place.name
        try:
            found = case.check(asked, case.checked or case.root)
            if _passes(case, asked):
                raise LabError(f"the check finds the same below {case.without}, where it has to fail")
        except LabError as problem:
            print(f"left out: {name}, {case.name}: {problem}", flush=True)
            self.left_out[f"{name}, {case.name}"] = str(problem).splitlines()[0]
            return False
        self.verified[name]["cases"][case.name] = found or {}
        return True

    def _verify(self, place, check):
        path = "/plain/a"
        verify.ready(self.bench, place, path=path)
        self.verified[place.name] = {**verify.connections_kept(self.bench, place, self.upstream, path), "cases": {}}


def _passes(case, asked):
    """Whether the check of a case finds its policy where it isn't."""
    try:
        case.check(asked, case.without)
        return True
    except LabError:
        return False
