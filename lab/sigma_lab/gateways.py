"""The comparison of microservice gateways: 10,000 requests, 200 at once, through each of them, just started and warm, on one core and on two."""

import time
from statistics import mean, median
from types import SimpleNamespace

from . import gateway_limits, gateways_page, load, machine, measure, procfs, report
from .bench import Bench, LabError
from .client import answers
from .field import PlainField, in_turn, require_programs, wanted
from .gateway_jvms import JvmGateway, SpringCloudGateway, Undertow, Zuul1, Zuul2
from .gateway_peers import APISIX, Caddy, GatewayEnvoy, GatewaySigma, PlainHAProxy, PlainNginx, Traefik
from .linkerd import Linkerd
from .results import output_folder, write
from .verify import UPSTREAM_PATH

REQUESTS = 10_000
CONNECTIONS = 200
QUICK = SimpleNamespace(rounds=1, repeats=1, warm_up_s=0)
# What takes part in a quick run where nobody is named: nothing that has to be fetched.
AT_HAND = "nginx,haproxy,sigma"
POLL_S = 0.002
START_TIMEOUT_S = 120
# Of the ones below, which aren't counts to add.
_MEDIANS = ("p50_us", "p95_us", "p98_us", "p99_us", "others_share", "proxy_core_busy", "load_core_busy")


def gateways(options):
    """Runs the experiment and writes gateways.json, .md and .svg; returns the exit code."""
    require_programs("taskset", "wrk", "nginx", "ab")
    plan = QUICK if options.quick else options
    only = options.only or (AT_HAND if options.quick else None)
    runs, forms = [], []
    for cores in options.cores:
        with Bench(options.proxy_core, options.load_core, options.keep) as bench:
            facts = machine.describe()
            if cores > 1:
                bench.share_cores()
            form = _Form(bench, options, wanted(_entrants(options), only), plan, cores)
            form.check_all()
            runs += form.runs()
            forms.append(form)
    document = {
        "kind": gateways_page.LIMITED if options.rate_limit else "gateways",
        "machine": facts,
        "versions": {**forms[0].versions, **machine.versions()},
        "plan": {"cores": options.cores, **{key: getattr(plan, key) for key in vars(QUICK)}},
        "left_out": {name: reason for form in forms for name, reason in form.left_out.items()},
        "verified": {str(form.cores): form.verified for form in forms},
        "order": ["direct", *(proxy.name for proxy in _entrants(options))],
        "jvms": [proxy.name for proxy in _entrants(options) if isinstance(proxy, JvmGateway)],
        "runs": runs,
    }
    return write(document, gateways_page.page, output_folder(options), options.check)


def _entrants(options):
    """All that take part, those of the study first."""
    launcher = options.sigma
    if options.rate_limit:
        return gateway_limits.entrants(launcher)
    of_the_study = [PlainNginx(), Zuul1(launcher), Zuul2(launcher), SpringCloudGateway(launcher), Linkerd(options.linkerd)]
    others = [GatewayEnvoy(), Undertow(launcher), Traefik(), Caddy(), PlainHAProxy(), APISIX]
    return [*of_the_study, *others, GatewaySigma(launcher=launcher), GatewaySigma("io_uring", launcher)]


class _Form(PlainField):
    """The field with so many cores. One gateway at a time is up, in front of an upstream that stays."""

    def __init__(self, bench, options, proxies, plan, cores):
        self.cores = cores
        self._plan = plan
        self._began = self._first_answer_ms = None
        for proxy in proxies:
            proxy.workers = cores
        super().__init__(bench, options, proxies)

    def check_all(self):
        """Each is started once, has to do what is measured, and is stopped; who takes a cache for later starts makes it."""
        for proxy in self.proxies:
            if isinstance(proxy, JvmGateway):
                self._train(proxy)
            if proxy.name not in self.left_out and hasattr(proxy, "rate"):
                self._see_refusing(proxy)
            place = proxy.name not in self.left_out and self.start(proxy)
            if place:
                self.bench.stop(place.started)
                print(f"checked: {place.name}", flush=True)

    def _see_refusing(self, proxy):
        """One whose limit does nothing would cost nothing."""
        proxy.rate = gateway_limits.RATE_SEEN
        place = self.start(proxy, check=False)
        proxy.rate = gateway_limits.RATE
        if not place:
            return
        if not gateway_limits.refuses(place, UPSTREAM_PATH):
            raise LabError(f"{proxy.name}: lets all pass, or nothing, with a limit of {gateway_limits.RATE_SEEN} requests/s\n{place.started.log_tail()}")
        self.bench.stop(place.started)

    def runs(self):
        """Everything that was measured, in the order of time."""
        found = []
        for number, _, proxy in in_turn(self._plan.rounds, [None], [None, *self.proxies]):
            name = proxy.name if proxy else self.upstream.place.name
            for case, result in self._of(proxy) if proxy else self._warm(self.upstream.place):
                found.append({"proxy": name, "case": case, "connections": CONNECTIONS, "round": number, **result})
                print(report.run_line(found[-1]), flush=True)
        return found

    def start(self, proxy, *arguments, **more):
        self._began = time.monotonic()
        return super().start(proxy, *arguments, **more)

    def _verify(self, place, check):
        def answering():
            return answers(place.port, UPSTREAM_PATH)

        self.bench.await_true(place.started, answering, "answering with 200", START_TIMEOUT_S, POLL_S)
        self._first_answer_ms = 1000 * (time.monotonic() - self._began)
        super()._verify(place, check)

    def _train(self, proxy):
        try:
            proxy.train(self.bench, self.upstream.place.port)
        except (LabError, OSError) as problem:
            self._leave_out(proxy, str(problem))

    def _of(self, proxy):
        """All cases of one gateway in one round. It is started twice, since only the first run of a process is a cold one."""
        for keep_alive in (True, False):
            place = proxy.name not in self.left_out and self.start(proxy, check=False)
            if not place:
                return
            first_answer_ms = self._first_answer_ms
            result = self._loaded(place, "cold", keep_alive)
            if result:
                yield gateways_page.case(self.cores, "cold", keep_alive), {**result, "first_answer_ms": first_answer_ms}
            if keep_alive:
                yield from self._warm(place)
            self.bench.stop(place.started)

    def _warm(self, place):
        """The same once it is warm: several runs, of which each round has the sum, and none the first."""
        if self._plan.warm_up_s and place is not self.upstream.place:
            plan = SimpleNamespace(connections=[CONNECTIONS], warm_up_s=self._plan.warm_up_s)
            self.attempted(place, "warm-up", lambda: self.warm_up([place], plan, UPSTREAM_PATH))
        for keep_alive in (True, False):
            uncounted = 1 if self._plan.warm_up_s else 0
            results = [self._loaded(place, "warm", keep_alive) for _ in range(uncounted + self._plan.repeats)]
            if all(results):
                yield gateways_page.case(self.cores, "warm", keep_alive), _merged(results[uncounted:])

    def _loaded(self, place, state, keep_alive):
        """One run of ab, and what it cost; None where it fails."""

        def asked():
            return load.ab(self.bench, place.url(UPSTREAM_PATH), REQUESTS, CONNECTIONS, keep_alive)

        def run():
            used = procfs.cpu_us(place.pid)
            direct = place is self.upstream.place
            result = measure.costs(self.bench, place, direct, asked)
            if not direct:
                result["cpu_us"] = procfs.cpu_us(place.pid) - used
                result["cpu_us_per_request"] = result["cpu_us"] / max(1, result["requests"])
            if self.cores > 1:
                # The load has the same cores.
                result.pop("others_share", None)
            result["rss_kib"], result["rss_peak_kib"] = procfs.memory_kib(place.pid)
            return result

        return self.attempted(place, gateways_page.case(self.cores, state, keep_alive), run)


def _merged(results):
    """One result of several runs: what is counted is added up, of percentiles it is the median."""
    one = dict(results[-1])
    for key in ("requests", "duration_us", "kept_alive", "cpu_us", "switches"):
        if key in one:
            one[key] = sum(result[key] for result in results)
    one["rps"] = one["requests"] * 1e6 / one["duration_us"]
    one["mean_us"] = mean(result["mean_us"] for result in results)
    one["max_us"] = max(result["max_us"] for result in results)
    for key in _MEDIANS:
        if key in one:
            one[key] = median(result[key] for result in results)
    if "cpu_us" in one:
        one["cpu_us_per_request"] = one["cpu_us"] / max(1, one["requests"])
        one["switches_per_request"] = one["switches"] / max(1, one["requests"])
    one["errors"] = {kind: sum(result["errors"][kind] for result in results) for kind in one["errors"]}
    return one
