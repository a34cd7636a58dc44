"""Who takes part: finds the programs, starts and verifies them, leaves out what is missing and remembers why."""

from . import load, measure, report, verify
from .bench import LabError
from .nginx import Nginx, Upstream
from .peers import Envoy, HAProxy
from .programs import find_program
from .sigma import Sigma, note_jdk, sigmas


# What is usual, and so many at once where each connection is for one request only.
WARM_UP_CONNECTIONS = 256
CLOSING_CONNECTIONS = 64


def in_turn(rounds, cases, entrants):
    """(round, case, entrant) for every case of every entrant. Another one begins in each round, so that none always follows the same one."""
    for number in range(rounds):
        start = number % len(entrants)
        for case in cases:
            for entrant in entrants[start:] + entrants[:start]:
                yield number + 1, case, entrant


class Field:
    """The proxies of one experiment, all in front of one upstream: those of the main road and its nginx, where no others are given."""

    def __init__(self, bench, options, proxies=None, upstream=None):
        if proxies is None:
            proxies = wanted([Nginx(), HAProxy(), Envoy(), *sigmas(options.sigma)], options.only)
        self.bench = bench
        self.left_out = {}
        self.versions = {}
        self.verified = {}
        self._proxies = []
        for proxy in proxies:
            reason = proxy.missing()
            if not reason and proxy.version_key() not in self.versions:
                reason = self._ask_version(proxy)
            if reason:
                self._leave_out(proxy, reason)
            else:
                self._proxies.append(proxy)
        self.upstream = upstream or Upstream(bench)

    def rounds(self, count, measured, line):
        """All runs of each proxy, by name; who fails is left out of that round, and named. `line` says what a run found."""
        found = {}
        for number, _, proxy in in_turn(count, [None], self.proxies):
            try:
                run = measured(self.bench, proxy)
            except (LabError, OSError) as problem:
                self.left_out[proxy.name] = str(problem).splitlines()[0]
                print(f"{proxy.name}: {problem}", flush=True)
                continue
            found.setdefault(proxy.name, []).append(run)
            print(f"round {number}  {proxy.name:<16} {line(run)}", flush=True)
        return found

    def start_all(self, access_log=False):
        """Starts and verifies every proxy; returns their places, nginx first."""
        places = []
        for proxy in list(self._proxies):
            place = self.start(proxy, access_log)
            if place:
                places.append(place)
        if not places:
            raise LabError("no proxy could be started")
        return places

    def start(self, proxy, access_log=False, check=True, java_options=""):
        """Starts one proxy; returns None, and leaves it out from then on, where it fails."""
        place = None
        try:
            # Only Sigma runs on a JVM.
            more = {"java_options": java_options} if isinstance(proxy, Sigma) else {}
            place = proxy.start(self.bench, self.upstream.place.port, access_log, **more)
            self._verify(place, check)
            if isinstance(proxy, Sigma):
                proxy.check_transport(place)
                note_jdk(self.versions, place.pid)
            return place
        except (LabError, OSError) as problem:
            self._leave_out(proxy, str(problem))
            self._proxies.remove(proxy)
            if place:
                self.bench.stop(place.started)
            return None

    def measured(self, place, connections, seconds, **request):
        """One measured run of the main road's load; None where it fails."""

        def run():
            return measure.run(self.bench, place, self.upstream, connections, seconds, **request)

        return self.attempted(place, f"{connections} connections", run)

    def warm_up(self, places, plan, path=measure.PATH):
        """The same for all, whether they need it or not: the usual load, connections for one request each, then the most connections."""
        part_s = max(1, plan.warm_up_s // 3)
        for place in places:
            url = place.url(path)
            load.wrk(self.bench, url, WARM_UP_CONNECTIONS, part_s)
            load.wrk(self.bench, url, CLOSING_CONNECTIONS, part_s, "close")
            load.wrk(self.bench, url, max(plan.connections), part_s)
            print(f"warm: {place.name}", flush=True)

    def runs_in_turn(self, entrants, plan, **request):
        """What was measured with each number of connections of each entrant, round by round."""
        runs = []
        for number, connections, place in in_turn(plan.rounds, plan.connections, entrants):
            result = self.measured(place, connections, plan.seconds, **request)
            if result:
                runs.append({"proxy": place.name, "connections": connections, "round": number, **result})
                print(report.run_line(runs[-1]), flush=True)
        return runs

    def attempted(self, place, what, run):
        """What `run()` returns; None where it fails, and from then on, so that the others' figures are not lost."""
        if place.name in self.left_out:
            return None
        try:
            return run()
        except (LabError, OSError) as problem:
            self._leave_out(place, f"failed under load at {what}: {problem}\n{place.started.log_tail()}")
            return None

    def stop_all(self, places):
        for place in places:
            self.bench.stop(place.started)

    @property
    def proxies(self):
        return list(self._proxies)

    def _verify(self, place, check):
        """Waits until a started proxy answers; with `check`, fails where it doesn't do what is measured."""
        verify.ready(self.bench, place)
        if check:
            verify.answer_and_path(place)
            self.verified[place.name] = verify.connections_kept(self.bench, place, self.upstream)

    def _ask_version(self, proxy):
        try:
            self.versions[proxy.version_key()] = proxy.version()
            return None
        except (LabError, OSError) as problem:
            return str(problem)

    def _leave_out(self, proxy, reason):
        print(f"left out: {proxy.name}: {reason}", flush=True)
        # The first line is what a results page needs; the log's end is for the terminal.
        self.left_out[proxy.name] = reason.splitlines()[0]


class PlainField(Field):
    """Proxies that rewrite nothing."""

    def _verify(self, place, check):
        verify.ready(self.bench, place, path=verify.UPSTREAM_PATH)
        if check:
            verify.answer_and_path(place, verify.UPSTREAM_PATH)
            self.verified[place.name] = verify.connections_kept(self.bench, place, self.upstream, verify.UPSTREAM_PATH)


def wanted(proxies, only):
    """Those that `only` names, by the beginning of their names: `nginx,sigma-epoll`, or `sigma` for both; all where it is empty."""
    if not only:
        return proxies

    def plain(proxy):
        return proxy.name.lower().replace("(", "").replace(")", "")

    chosen = []
    for word in only.lower().replace("-", " ").split(","):
        word = word.strip()
        named = [proxy for proxy in proxies if plain(proxy) == word]
        named = named or [proxy for proxy in proxies if plain(proxy).startswith(word)]
        if not named:
            raise LabError(f"--only: {word} (expected: one of {', '.join(proxy.name for proxy in proxies)})")
        chosen += named
    return [proxy for proxy in proxies if proxy in chosen]


def require_programs(*names):
    """Fails where one of the programs that an experiment can't do without is missing."""
    packages = {"wrk": "wrk", "nginx": "nginx", "taskset": "util-linux", "ss": "iproute2", "ab": "apache2-utils", "openssl": "openssl"}
    packages.update({"h2load": "nghttp2-client", "nghttp": "nghttp2-client"})
    missing = [name for name in names if not find_program(name)]
    if missing:
        raise LabError(
            f"missing: {', '.join(missing)}; on Debian: apt-get install " + " ".join(dict.fromkeys(packages[name] for name in missing))
        )
