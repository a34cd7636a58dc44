"""A hundred upgrades, one right after the other, while connections come and go and others stay; and processes that are killed in the middle of one."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from statistics import median
from types import SimpleNamespace

from . import keeper, load, machine, procfs
from .bench import Bench, LabError
from .client import answers
from .field import Field, require_programs
from .results import output_folder
from .sheet import write_sheet
from .sigma import DefaultSigma, note_jdk
from .soaked import PAGE_WIDTH, PATIENCE_S, SoakedSigma, replace
from .standing import FOREVER_S, GRPC_PATH, Amount, Standing, StandingNodes
from .traffic import OK, Cluster, Datagrams, EchoNode, Flood, Node, Talk, build

HALVES = (("epoll", 4), ("io_uring", 3))
UPGRADE_S = 120
WARM_CONNECTIONS = 64
MESSAGES_EACH = 10
UDP_IDLE = "5s"
# What is open from the beginning stays with the first process, and half a hundred upgrades may take longer than the 15 minutes that are the default.
DRAIN_UPGRADE = "1h"
# The old process stays as long after the new one serves, and takes its place again if that ends.
PROVING_S = 5
SERVES_WITHIN_S = 30
ALONE_WITHIN_S = 60
ASKED_AFTER_A_KILL = 20
PLAN = SimpleNamespace(
    amount=Amount(websockets=200, sessions=100, downloads=200, streams=20, body_lengths=(8 << 20,), rate=128 << 10, pause_s=1),
    fresh=20, kept=50, coming=50, quiet=100, datagrams=10, warm_s=8, pause_ms=1,
)  # fmt: skip
QUICK = SimpleNamespace(
    amount=Amount(websockets=20, sessions=10, downloads=10, streams=5, body_lengths=(8 << 20,), rate=1 << 20, pause_s=0.2),
    fresh=5, kept=5, coming=5, quiet=20, datagrams=3, warm_s=1, pause_ms=5,
)  # fmt: skip
QUICK_UPGRADES = 2
KILLS = 40


class UpgradedSigma(SoakedSigma):
    """With a server of UDP beside, and a parent that whatever took its place has, too."""

    def __init__(self, bench, nodes, standing, quiet, **more):
        super().__init__(nodes, standing, **more)
        # Servers with one client at a time: a connection that nobody accepts is not found by the next one that comes.
        self.quiet_ports = [bench.free_port() for _ in range(quiet)]
        self.udp_port = bench.free_port()
        self._udp = EchoNode(bench, "udp")

    def command(self, bench, upstream_port, port, access_log=False):
        return [sys.executable, keeper.__file__, *super().command(bench, upstream_port, port, access_log)]

    def config(self, port, upstream_port, access_log):
        config = super().config(port, upstream_port, access_log)
        server = {"id": "datagrams", "host": "127.0.0.1", "port": self.udp_port, "proxy-pass-id": "datagrams", "idle-timeout": UDP_IDLE}
        config["proxy-server"]["udp"] = [server]
        config["proxy-server"]["tcp"] += [
            {"id": f"quiet-{quiet}", "host": "127.0.0.1", "port": quiet, "proxy-pass-id": "sessions"} for quiet in self.quiet_ports
        ]
        config["proxy-pass"].append({"id": "datagrams", "upstream-id": "datagrams"})
        config["upstream"].append({"id": "datagrams", "nodes": [f"udp://127.0.0.1:{self._udp.place.port}"]})
        config["timeouts"] = {"drain-upgrade": DRAIN_UPGRADE}
        return config

    def upgrade(self):
        """Runs `./sigma upgrade`; (exit code, what it says)."""
        command = [*self.launcher, "upgrade", "--run-dir", str(self.run_dir), "--json", "--timeout", f"{UPGRADE_S}s"]
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=UPGRADE_S + PATIENCE_S, check=False
        )
        return result.returncode, result.stdout.decode(errors="replace").strip()

    def serving(self):
        """The process that serves. Between two of them there is a moment in which none can be asked."""
        end = time.monotonic() + PROVING_S
        while True:
            try:
                return self.asked("status")["json"]["pid"]
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def stop(self, bench, place):
        bench.stop(place.started)
        bench.stop(self._udp.place.started)


def upgrades(options):
    """Runs the experiment and writes upgrades.json and .md; returns the exit code."""
    require_programs("taskset", "wrk")
    build()
    plan = SimpleNamespace(**vars(QUICK if options.quick else PLAN))
    plan.upgrades = min(options.upgrades, QUICK_UPGRADES) if options.quick else options.upgrades
    plan.kills = 0 if options.quick and options.kills == KILLS else options.kills
    options.out = output_folder(options)
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        field = Field(bench, options, [DefaultSigma(launcher=options.sigma)], Cluster([]))
        if not field.proxies:
            raise LabError("Sigma can't be started")
        halves, kills, bounds = {}, None, []
        chosen = [half for half in HALVES if not options.only or half[0] in options.only]
        for at, (transport, workers) in enumerate(chosen):
            name = f"{transport}, {workers} Workers"
            count = plan.upgrades * (at + 1) // len(chosen) - plan.upgrades * at // len(chosen)
            try:
                halves[name] = _Half(bench, options, plan, transport, workers, field).upgraded(count)
                print(f"{name}: {_line(halves[name])}", flush=True)
            except (LabError, OSError, subprocess.SubprocessError) as problem:
                print(f"{name}: {problem}", flush=True)
                bounds.append((f"all upgrades made ({name})", str(problem).splitlines()[0], str(count), False))
        if plan.kills:
            kills = _Kills(bench, options, plan, field).made(plan.kills)
        for name, half in halves.items():
            bounds += _bounds(name, half)
        if kills:
            bounds += _kill_bounds(kills)
        broken = any(what.startswith("all upgrades made") for what, *_ in bounds)
        return write_sheet("upgrades", "Upgrades", textwrap.wrap(" ".join(_intro(plan)), PAGE_WIDTH), field, facts, _tables(halves, kills), bounds, options) or int(broken)


class _Started:
    """A node, what stands, and Sigma. Use with `with`."""

    def __init__(self, bench, options, plan, transport, workers, field):
        self._bench = bench
        self._node = Node(bench, "node")
        self._node.start()
        self.nodes = StandingNodes(bench)
        self.sigma = UpgradedSigma(bench, [self._node], self.nodes, plan.quiet, transport=transport, launcher=options.sigma, workers=workers)
        self.place = None
        try:
            self._start()
            note_jdk(field.versions, self.sigma.serving())
            self.sigma.check_transport(self.place)
            load.wrk(bench, self.place.url("/load"), WARM_CONNECTIONS, plan.warm_s)
        except BaseException:
            self.__exit__()
            raise

    def _start(self):
        self.place = self.sigma.start(self._bench, None)
        self._bench.await_true(self.place.started, lambda: answers(self.place.port, "/load"), "answering with 200")

    def again(self):
        """Another one in its place."""
        self._bench.stop(self.place.started)
        self._start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.place:
            self.sigma.stop(self._bench, self.place)
        self._bench.stop(self._node.started)
        self.nodes.stop()


class _Half:
    """Upgrades with one transport, from a start to a stop."""

    def __init__(self, bench, options, plan, transport, workers, field):
        self._bench, self._plan = bench, plan
        self._started = lambda: _Started(bench, options, plan, transport, workers, field)

    def upgraded(self, count):
        with self._started() as started, contextlib.ExitStack() as all_of_it:
            standing = all_of_it.enter_context(Standing(self._bench, started.nodes, started.place.port, self._plan.amount))
            coming = self._coming(started)
            for running in coming.values():
                all_of_it.callback(running.stop)
            rounds = [self._once(started, number) for number in range(1, count + 1)]
            # What the last one took over ends in the load, not in its end.
            time.sleep(1)
            came = {name: _came(running.end(PATIENCE_S)) for name, running in coming.items()}
            stood = standing.end()
        return {"rounds": rounds, "came": came, "stood": stood}

    def _coming(self, started):
        """What comes and goes, or keeps a connection and asks."""
        bench, plan, port = self._bench, self._plan, started.place.port

        def talk(kind, to, count, path="/echo"):
            return Talk(bench, to, count, kind=kind, path=path, flight=1, seconds=FOREVER_S, pause_s=0.02, each=MESSAGES_EACH)

        coming = {
            "requests, each on a connection of its own": Flood(bench, port, plan.fresh, fresh=True, pause_ms=plan.pause_ms),
            "requests on kept connections": Flood(bench, port, plan.kept, pause_ms=10 * plan.pause_ms),
            "TCP sessions that come and go": talk("tcp", started.nodes.sessions_port, plan.coming),
            "TCP sessions, one at a time on a port of its own": Talk(
                bench, started.sigma.quiet_ports, plan.quiet, kind="tcp", flight=1, seconds=FOREVER_S, pause_s=0.02, each=2
            ),
            "WebSockets that come and go": talk("websocket", port, plan.coming),
            "datagrams": Datagrams(bench, started.sigma.udp_port, kept=plan.datagrams, fresh=plan.datagrams, pause_ms=10),
        }
        if started.nodes.has_grpc:
            coming["gRPC streams that come and go"] = talk("grpc", port, plan.coming, GRPC_PATH)
        return coming

    def _once(self, started, number):
        sigma = started.sigma
        sigma.number = number
        replace(sigma.path, sigma.text())
        before = sigma.serving()
        began = time.monotonic()
        code, said = sigma.upgrade()
        took_s = time.monotonic() - began
        if code:
            raise LabError(f"upgrade {number} ended with {code}: {said}")
        after = json.loads(said[said.index("{") :])["pid"]
        if after == before or sigma.serving() != after:
            raise LabError(f"upgrade {number}: {said}, and process {sigma.serving()} serves, after {before}")
        # Whoever connects now gets the new process.
        sigma.see(number)
        processes = len(procfs.tree(started.place.pid)) - 1
        run = {"took_s": took_s, "processes": processes, "rss_kib": procfs.resident_kib(started.place.pid)}
        print(f"upgrade {number}: {took_s:.1f} s, {processes} processes, {run['rss_kib'] >> 10} MiB", flush=True)
        return run


def _came(said):
    """What traffic that came and went says, whatever kind it is of."""
    outcomes = said.get("outcomes")
    if outcomes is None:
        outcomes = {OK: said["ended"], **said["failed"]}
    return {"right": outcomes.get(OK, 0), "failed": {key: count for key, count in outcomes.items() if key != OK}, "first": said["first"] or []}


class _Kills:
    """Upgrades during which one of the two processes is killed, at any time until five seconds after the new one serves."""

    def __init__(self, bench, options, plan, field):
        self._bench, self._plan, self._options, self._field = bench, plan, options, field
        self._random = random.Random(options.seed)

    def made(self, count):
        found = []
        with _Started(self._bench, self._options, self._plan, *HALVES[0], self._field) as started:
            took_s = self._whole(started)
            for number in range(1, count + 1):
                # In turn, so that few have both.
                kill = self._once(started, "old" if number % 2 else "new", self._random.uniform(0, took_s + PROVING_S))
                found.append(kill)
                print(f"kill {number}: {kill}", flush=True)
                if kill["problem"] or kill["serves"] == "none":
                    started.again()
        return found

    def _whole(self, started):
        """How long an upgrade takes that nobody is killed in."""
        began = time.monotonic()
        code, said = started.sigma.upgrade()
        if code:
            raise LabError(f"an upgrade before any kill ended with {code}: {said}")
        took_s = time.monotonic() - began
        self._alone(started)
        return took_s

    def _once(self, started, who, at_s):
        sigma = started.sigma
        old = sigma.serving()
        said = []
        upgrade = threading.Thread(target=lambda: said.append(_attempted(sigma.upgrade)), daemon=True)
        began = time.monotonic()
        upgrade.start()
        time.sleep(at_s)
        new = _new(started, old)
        if who == "new":
            while not new and upgrade.is_alive():
                time.sleep(0.001)
                new = _new(started, old)
        victim = {"old": old, "new": new}[who]
        kill = {"who": who, "at_s": round(time.monotonic() - began, 3), "begun": bool(new), "said": None, "serves": "none", "after_s": None, "problem": None}
        if not victim:
            kill["problem"] = f"there is no {who} process: {said}"
            return kill
        killed = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        self._await_served(started, kill, killed)
        upgrade.join(UPGRADE_S + PATIENCE_S)
        kill["said"] = str(said[0])[:300] if said else "nothing"
        if kill["after_s"] is not None:
            try:
                serving = self._alone(started)
                kill["serves"] = "old" if serving == old else "new"
                wrong = sum(not answers(started.place.port, "/load") for _ in range(ASKED_AFTER_A_KILL))
                if wrong:
                    kill["problem"] = f"{wrong} of {ASKED_AFTER_A_KILL} requests failed when all was over"
            except (LabError, OSError) as problem:
                kill["problem"] = str(problem).splitlines()[0]
        elif who == "new" or kill["begun"]:
            kill["problem"] = f"nothing serves within {SERVES_WITHIN_S} s"
        return kill

    @staticmethod
    def _await_served(started, kill, killed):
        while time.monotonic() - killed < SERVES_WITHIN_S:
            if answers(started.place.port, "/load"):
                kill["after_s"] = round(time.monotonic() - killed, 3)
                return
            if started.place.started.popen.poll() is not None:
                return
            time.sleep(0.005)

    @staticmethod
    def _alone(started):
        """Waits until one process is left, which serves; two that both think so never come to that."""
        end = time.monotonic() + ALONE_WITHIN_S
        while True:
            left = procfs.children(started.place.pid)
            if len(left) == 1 and not procfs.children(left[0]):
                serving = started.sigma.serving()
                if serving != left[0]:
                    raise LabError(f"process {left[0]} is left, and {serving} answers")
                return serving
            if time.monotonic() > end:
                raise LabError(f"{len(left)} processes are left after {ALONE_WITHIN_S} s (expected: 1)")
            time.sleep(0.02)


def _attempted(upgrade):
    try:
        return upgrade()
    except (OSError, subprocess.SubprocessError) as problem:
        return str(problem)


def _new(started, old):
    """The process that is to take the old one's place: its child, or its parent's where it is gone."""
    found = [pid for pid in [*procfs.children(old), *procfs.children(started.place.pid)] if pid != old]
    return found[0] if found else None


def _intro(plan):
    amount = plan.amount
    text = [
        f"{plan.upgrades} times `./sigma upgrade`, one right after the other; each has another route, which a new connection has to get at once. Meanwhile {plan.fresh} clients ask on a connection for each request,",
        f"{plan.kept} on connections that they keep; {plan.coming} TCP sessions, {plan.coming} WebSockets and {plan.coming} streams of gRPC are open at a time, each for {MESSAGES_EACH} messages there and back; on {plan.quiet} ports more one TCP session follows the other; {2 * plan.datagrams} clients of UDP wait",
        f"for the echo of each datagram, half of them with another socket each time. Open from before the first upgrade to the end: {amount.websockets} WebSockets, {amount.sessions} TCP sessions, {amount.streams} streams of gRPC; and {amount.downloads} downloads",
        f"of {amount.body_lengths[0] >> 20} MiB at {amount.rate >> 10} KiB a second, one after the other. Every byte is looked at. Sigma has its defaults but for `drain-upgrade`, which is {DRAIN_UPGRADE}, and all its processes are on one core; load and nodes are on another.",
    ]
    if plan.kills:
        text.append(
            f"Then {plan.kills} upgrades during which the old or the new process gets SIGKILL, at a random moment until {PROVING_S} s after the new one serves: one process has to be left, which serves. None is where the old one is killed before it has started the new one."
        )
    return text


def _tables(halves, kills):
    columns = ["Sigma", "upgrades", "s each", "most", "processes at once, most", "RSS of all, MiB, most"]
    rows = [
        [name, len(half["rounds"]), f"{median(run['took_s'] for run in half['rounds']):.2f}", *(f"{max(run[key] for run in half['rounds']):.{digits}f}" for key, digits in (("took_s", 2), ("processes", 0))),
         max(run["rss_kib"] for run in half["rounds"]) >> 10]
        for name, half in halves.items()
    ]  # fmt: skip
    tables = [("Upgrades", columns, rows)]
    rows = [[name, what, f"{came['right']:,}", _failed(came["failed"])] for name, half in halves.items() for what, came in half["came"].items()]
    tables.append(("What came and went", ["Sigma", "what", "right", "failed"], rows))
    rows = [
        [name, what, stood["count"], f"{stood['whole']:,}", _failed(stood["failed"]), "–" if stood["messages"] is None else f"{stood['messages']:,}"]
        for name, half in halves.items()
        for what, stood in half["stood"].items()
    ]
    tables.append(("What stayed open", ["Sigma", "what", "open at once", "ended whole", "lost, cut or wrong", "messages there and back"], rows))
    if kills:
        rows = []
        for who in ("old", "new"):
            for serves in ("old", "new", "none"):
                some = [kill for kill in kills if kill["who"] == who and kill["serves"] == serves]
                if some:
                    times = [kill["after_s"] for kill in some if kill["after_s"] is not None]
                    spans = [kill["at_s"] for kill in some]
                    rows.append([who, serves, len(some), f"{min(spans):.1f} to {max(spans):.1f}", f"{max(times):.2f}" if times else None])
        tables.append(("Killed", ["killed", "serves afterwards", "times", "s after `upgrade` began", "s until answered, most"], rows))
    return tables


def _bounds(name, half):
    def none(what, failed):
        return f"{what} ({name})", _failed(failed), "0", not failed

    for what, came in half["came"].items():
        yield none(f"{what}: failed, refused, reset or lost", came["failed"])
    for what, stood in half["stood"].items():
        yield none(f"{what} lost, cut or wrong", stood["failed"])


def _kill_bounds(kills):
    problems = [kill["problem"] for kill in kills if kill["problem"]]
    return [("killed, and not one process left that serves", f"{len(problems)}" + (f": {problems[0]}" if problems else ""), "0", not problems)]


def _failed(failed):
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(failed.items())) or "0"


def _line(half):
    problems = [text for part in (*half["came"].values(), *half["stood"].values()) for text in part["first"]]
    return f"{len(half['rounds'])} upgrades; " + "; ".join(f"{what}: {came['right']} right, failed {_failed(came['failed'])}" for what, came in half["came"].items()) + f"; {problems[:10]}"
