"""Nodes that fail under a paced load, behind nginx, HAProxy, Envoy and Sigma: who asks for whom, and what a client sees of it."""

import threading
import time
from types import SimpleNamespace

from . import chaos_page, cluster, faults, load, machine, procfs
from .bench import Bench, LabError
from .client import answers
from .field import Field, in_turn, require_programs, wanted
from .network import Network
from .results import output_folder, write
from .traffic import NS_PER_S, Cluster, Load, Node, build, share

NODES = 4
CLIENTS, POSTERS, EVERY_MS = 40, 2, 25
# Each client has one request under way; a herd is what is clearly more.
CLIENTS_AT_ONCE_MAX = int(1.25 * (CLIENTS + POSTERS))
WARM_PATH = "/warm"
WARM_CONNECTIONS = 40
LEAD_S = 0.3
# What a stopped node, or one that packets come to again, gets to read what waits for it.
LIFTED_S = 2.0
FULL = SimpleNamespace(warm_up_s=3, before_s=3, after_s=10, patience_s=6, outage_s=8)
QUICK = SimpleNamespace(warm_up_s=1, before_s=1, after_s=4, patience_s=2, outage_s=7, rounds=1)


def chaos(options):
    """Runs the experiment and writes chaos.json, .md and .svg; returns the exit code."""
    require_programs("taskset", "ss", "wrk")
    build()
    plan = SimpleNamespace(**{**vars(FULL), "rounds": options.rounds, **(vars(QUICK) if options.quick else {})})
    rows, outages = _chosen(options.rows)
    usual, named = cluster.entrants(options.sigma)
    proxies = wanted(usual + named, options.only) if options.only else usual
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options, proxies, Cluster([]))
        with Network() as network:
            experiment = _Chaos(bench, field, network, plan)
            runs = experiment.runs(rows)
            outage_runs = experiment.outages(outages)
        document = {
            "kind": "chaos",
            "machine": facts,
            "versions": {**field.versions, **machine.versions()},
            "plan": {**vars(plan), "clients": CLIENTS, "posters": POSTERS, "every_ms": EVERY_MS, "nodes": NODES},
            "left_out": {**field.left_out, **experiment.left_out},
            "about": {proxy.name: proxy.about for proxy in proxies},
            "rows": [{"name": row.name, "title": row.title, "what": row.fault.what, "cuts": row.fault.cuts} for row in rows],
            "outages": [{"name": outage.name, "what": outage.what} for outage in outages],
            "order": [proxy.name for proxy in proxies],
            "runs": runs,
            "outage_runs": outage_runs,
        }
    return write(document, chaos_page.page, output_folder(options), options.check)


def _chosen(text):
    """The rows and outages that `--rows` names: `killed` for both rows of a fault, `killed-2` for one of them; all where it is empty."""
    rows, outages = faults.rows(), faults.OUTAGES
    if not text:
        return list(rows.values()), list(outages.values())
    words = [word.strip() for word in text.split(",")]
    known = {*rows, *outages, *(row.fault.name for row in rows.values())}
    for word in words:
        if word not in known:
            raise LabError(f"--rows: {word} (expected: one of {', '.join([*rows, *outages])})")
    return (
        [row for row in rows.values() if row.name in words or row.fault.name in words],
        [outage for outage in outages.values() if outage.name in words],
    )


class _Chaos:
    def __init__(self, bench, field, network, plan):
        self._bench, self._field, self._network, self._plan = bench, field, network, plan
        self.left_out = {}

    def runs(self, rows):
        """Each row with each proxy, round by round."""
        found = []
        possible = [row for row in rows if self._network.is_own or not row.fault.needs_network]
        for row in rows:
            if row not in possible:
                self.left_out[row.title] = self._network.reason
        for number, row, proxy in in_turn(self._plan.rounds, possible, self._field.proxies):
            result = self._attempted(proxy, row.title, lambda place, nodes: self._row(place, nodes, row))
            if result:
                found.append({"proxy": proxy.name, "row": row.name, "round": number, **result})
                print(chaos_page.run_line(found[-1]), flush=True)
        return found

    def outages(self, outages):
        found = []
        for number, outage, proxy in in_turn(self._plan.rounds, outages, self._field.proxies):
            result = self._attempted(proxy, outage.name, lambda place, nodes: self._outage(place, nodes, outage))
            if result:
                found.append({"proxy": proxy.name, "row": outage.name, "round": number, **result})
                print(chaos_page.outage_line(found[-1]), flush=True)
        return found

    def _attempted(self, proxy, what, run):
        """One run with a proxy and nodes of its own, so that none remembers what was before."""
        if proxy.name in self._field.left_out:
            return None
        nodes = [Node(self._bench, f"node{number}") for number in range(1, NODES + 1)]
        place = None
        try:
            for node in nodes:
                node.start()
            place = proxy.start(self._bench, [node.port for node in nodes])
            self._bench.await_true(place.started, lambda: answers(place.port, WARM_PATH), "answering with 200")
            load.wrk(self._bench, place.url(WARM_PATH), WARM_CONNECTIONS, self._plan.warm_up_s)
            return run(place, nodes)
        except (LabError, OSError) as problem:
            tail = place.started.log_tail() if place else ""
            print(f"{proxy.name}: {what}: {problem}\n{tail}", flush=True)
            self.left_out[f"{proxy.name}, {what}"] = str(problem).splitlines()[0]
            return None
        finally:
            # A proxy that is asked to end might wait for what its nodes never answer.
            for started in [place and place.started, *(node.started for node in nodes)]:
                if started:
                    self._bench.kill(started)

    def _row(self, place, nodes, row):
        plan = self._plan
        hit = nodes[: row.hit]
        steps = row.fault.steps(self._network, hit, plan.after_s)
        watched = self._watched(place, nodes, steps, plan.after_s, row.fault.path)
        if row.fault.lift:
            row.fault.lift(self._network, hit)
            time.sleep(LIFTED_S)
        requests = watched.requests
        gets = [request for request in requests if request.kind == "G"]
        windows = {
            "before": _window(gets, 0, plan.before_s),
            "first_1s": _window(gets, watched.fault_s, 1),
            "first": _window(gets, watched.fault_s, 2),
            "after": _window(gets, watched.fault_s + 2, plan.after_s - 2),
            "after_1s": _window(gets, watched.fault_s + 1, plan.after_s - 1),
            "all": _window(gets, watched.fault_s, plan.after_s),
        }
        return {**windows, **_posts(requests, nodes), **watched.figures}

    def _outage(self, place, nodes, outage):
        plan = self._plan
        first, others = nodes[0], nodes[1:]
        back_ns = []

        def one_back():
            outage.end(first)
            back_ns.append(time.monotonic_ns())

        steps = [
            (0, lambda: [outage.begin(node) for node in nodes]),
            (faults.DOWN_S, one_back),
            (faults.OTHERS_BACK_S, lambda: [outage.end(node) for node in others]),
        ]
        watched = self._watched(place, nodes, steps, plan.outage_s, faults.SMALL_PATH, looks_at=first)
        requests = watched.requests
        gets = [request for request in requests if request.kind == "G"]
        back_s = (back_ns[0] - watched.start_ns) / NS_PER_S
        first_right = min((request.ended_s for request in gets if request.is_right and request.ended_s > back_s), default=None)
        first_second = (back_ns[0], back_ns[0] + NS_PER_S)
        return {
            "first_200_s": None if first_right is None else first_right - back_s,
            "tries": [_tries(requests, *phase) for phase in zip(watched.marks, watched.marks[1:])],
            "clients_max": CLIENTS_AT_ONCE_MAX,
            "herd_connections": first.accepted_between(*first_second),
            "herd_in_flight": watched.in_flight_max,
            "seen_first_second": first.gets_between(*first_second) / (CLIENTS * 1000 / EVERY_MS),
            "down": _window(gets, watched.fault_s, faults.DOWN_S),
            "one": _window(gets, back_s + 1, faults.OTHERS_BACK_S - faults.DOWN_S - 1),
            "all": _window(gets, watched.fault_s, plan.outage_s),
            "back": _window(gets, watched.fault_s + faults.OTHERS_BACK_S + 1, plan.outage_s - faults.OTHERS_BACK_S - 1),
            **_posts(requests, nodes),
            **watched.figures,
        }

    def _watched(self, place, nodes, steps, after_s, path, looks_at=None):
        """A paced load with the steps in it; with `looks_at` also the most requests at once of that node within its first second back."""
        plan = self._plan
        cluster_now = Cluster(nodes)
        most = _Most(looks_at)
        start_ns = time.monotonic_ns() + int(LEAD_S * NS_PER_S)
        seconds = plan.before_s + after_s
        running = Load(
            self._bench, place.port, start_ns=start_ns, seconds=seconds, patience_s=plan.patience_s,
            clients=CLIENTS, posters=POSTERS, every_ms=EVERY_MS, path=path,
        )  # fmt: skip
        _sleep_until(start_ns + int(plan.before_s * NS_PER_S))
        busy = [procfs.core_busy_us(core) for core in (self._bench.proxy_core, self._bench.load_core)]
        used = procfs.usage(place.pid)
        fault_ns = time.monotonic_ns()
        seen, refused = _seen(cluster_now), self._network.refused()
        late_s = 0.0
        marks = []

        def mark():
            marks.append(((time.monotonic_ns() - start_ns) / NS_PER_S, _seen(cluster_now) + (self._network.refused() or 0)))

        for step_s, act in steps:
            due_ns = fault_ns + int(step_s * NS_PER_S)
            _sleep_until(due_ns)
            mark()
            act()
            late_s = max(late_s, (time.monotonic_ns() - due_ns) / NS_PER_S)
            if looks_at and step_s == faults.DOWN_S:
                most.look()
        _sleep_until(start_ns + int(seconds * NS_PER_S))
        mark()
        used_after = procfs.usage(place.pid)
        busy_after = [procfs.core_busy_us(core) for core in (self._bench.proxy_core, self._bench.load_core)]
        duration_us = (time.monotonic_ns() - fault_ns) / 1000
        rss_kib = procfs.memory_kib(place.pid)[0]
        requests = running.finish()
        fault_s = (fault_ns - start_ns) / NS_PER_S
        sent = sum(request.outcome != "unsent" and request.due_s >= fault_s for request in requests)
        tries = _seen(cluster_now) - seen
        refused = None if refused is None else self._network.refused() - refused
        cpu_us = used_after.cpu_us - used.cpu_us
        figures = {
            "seen": tries / max(1, sent),
            "refused": None if refused is None else refused / max(1, sent),
            # How late the latest step of the fault was over, and requests that nothing but the load itself held up were sent.
            "late_s": late_s,
            "load_late_us": share(sorted(request.late_us for request in requests), 0.99),
            "checks": cluster_now.total("checks"),
            "cpu_share": cpu_us / duration_us,
            "others_share": max(0.0, (busy_after[0] - busy[0] - cpu_us) / duration_us),
            "load_core_busy": (busy_after[1] - busy[1]) / duration_us,
            "rss_kib": rss_kib,
        }
        return SimpleNamespace(requests=requests, start_ns=start_ns, fault_s=fault_s, marks=marks, in_flight_max=most.value, figures=figures)


class _Most:
    """The most requests at once of a node that came back, within its first second; read in a thread of its own, as the steps go on."""

    def __init__(self, node):
        self._node = node
        self.value = None

    def look(self):
        threading.Timer(1.0, self._note).start()

    def _note(self):
        self.value = self._node.counts()["in_flight_max"]


def _seen(nodes):
    return nodes.total("gets") + nodes.total("posts")


def _tries(requests, begun, ended):
    """What nodes saw and connections refused between two marks, × the requests that were due meanwhile, or that came late and ended then."""
    (from_s, before), (to_s, after) = begun, ended
    due = sum(from_s <= request.due_s < to_s for request in requests)
    over = sum(from_s <= request.ended_s < to_s for request in requests)
    return (after - before) / max(1, due, over)


def _posts(requests, nodes):
    """What became of the POSTs, by their ids: offered, failed, and read by nodes more than once."""
    posts = [request for request in requests if request.kind == "P"]
    read = [path for node in nodes for path in node.posts()]
    return {
        "posts": len(posts),
        "posts_failed": sum(not request.is_right for request in posts),
        "posts_twice": len(read) - len(set(read)),
    }


def _window(requests, from_s, seconds):
    """What became of the requests that were due within those seconds of the load."""
    due = [request for request in requests if from_s <= request.due_s < from_s + seconds]
    outcomes = {}
    for request in due:
        if not request.is_right:
            outcomes[request.outcome] = outcomes.get(request.outcome, 0) + 1
    latencies = sorted(request.latency_us for request in due)
    # Those that were answered then, whenever they were due.
    right = sum(request.is_right and from_s <= request.ended_s < from_s + seconds for request in requests)
    return {
        "offered": len(due),
        "failed": sum(outcomes.values()),
        "outcomes": outcomes,
        "p50_us": share(latencies, 0.5),
        "p99_us": share(latencies, 0.99),
        "max_us": latencies[-1] if latencies else None,
        "rps": right / seconds,
    }


def _sleep_until(at_ns):
    time.sleep(max(0.0, (at_ns - time.monotonic_ns()) / NS_PER_S))
