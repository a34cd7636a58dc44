"""Random changes while requests come: reloads, words of operators, upgrades, nodes that die. A model says what each request may get."""

import asyncio
import json
import random
import time
from dataclasses import dataclass, field

from .bench import Bench, LabError
from .client import answers
from .field import require_programs
from .sigma import DefaultSigma
from .steering import asked

ROUTES, UPSTREAMS, NODES = 12, 4, 6
CLIENTS = 24
PAUSE_S = (0.0, 0.15)
PATIENCE_S = 20
UPGRADE_SHARE = 0.02
QUICK_S = 15


class Nodes:
    """Nodes of HTTP in this process; each says which one it is, and what mark the route has set. They may be away for a while."""

    def __init__(self):
        self.servers, self.ports, self.writers = {}, {}, {}

    async def start(self, number):
        port = self.ports.get(number, 0)
        server = await asyncio.start_server(lambda r, w: self._serve(number, r, w), "127.0.0.1", port, backlog=1024, reuse_address=True)
        self.servers[number] = server
        self.ports[number] = server.sockets[0].getsockname()[1]

    async def kill(self, number):
        server = self.servers.pop(number)
        server.close()
        for writer in list(self.writers.get(number, ())):
            writer.transport.abort()

    def is_up(self, number):
        return number in self.servers

    async def _serve(self, number, reader, writer):
        self.writers.setdefault(number, set()).add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                mark = b"none"
                for line in head.split(b"\r\n"):
                    if line.lower().startswith(b"x-mark:"):
                        mark = line.split(b":", 1)[1].strip()
                body = b"%d %s" % (number, mark)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            self.writers[number].discard(writer)
            writer.close()


@dataclass
class Version:
    """What holds from some time on: for each path the nodes and the mark that it may get."""

    paths: dict
    since: float
    until: float = float("inf")


@dataclass
class Model:
    """All versions, each known to hold from when it was asked for until the next one was said to hold."""

    versions: list = field(default_factory=list)

    def begin(self, paths):
        """A change is asked for: from now on both it and what was before may be seen."""
        self.versions.append(Version(paths, time.monotonic()))

    def holds(self):
        """It was said to hold: nothing before it may be seen by what begins from now on."""
        now = time.monotonic()
        for version in self.versions[:-1]:
            version.until = min(version.until, now)
        self.versions = [version for version in self.versions if version.until > now - 2 * PATIENCE_S]

    def at(self, began, ended):
        return [version for version in self.versions if version.since <= ended and version.until >= began]

    def shown(self, path, began, ended):
        """What a request may have got, for whoever asks why it got something else."""
        found = [(version.paths.get(path), f"{1000 * (version.since - began):.0f} to {1000 * (version.until - began):.0f} ms") for version in self.at(began, ended)]
        return f"took {1000 * (ended - began):.0f} ms; expected, from its beginning on: {found}"

    def allows(self, path, began, ended, answer):
        for version in self.at(began, ended):
            wanted = version.paths.get(path)
            if wanted is None:
                if answer == (404, None, None):
                    return True
            elif answer[0] == 200 and answer[1] in wanted[0] and answer[2] == wanted[1]:
                return True
        return False


class Changes:
    """The random state: which routes there are, where they lead, what is said of nodes."""

    def __init__(self, seed, nodes):
        self.random = random.Random(seed)
        self.nodes = nodes
        self.routes = {number: (number % UPSTREAMS, f"m{number}") for number in range(ROUTES)}
        self.upstreams = {number: {n: 1 for n in range(NODES) if n % UPSTREAMS != number} for number in range(UPSTREAMS)}
        self.drained = set()

    def copy(self):
        twin = Changes(0, self.nodes)
        twin.random = self.random
        twin.routes = dict(self.routes)
        twin.upstreams = {key: dict(value) for key, value in self.upstreams.items()}
        twin.drained = set(self.drained)
        return twin

    def paths(self):
        found = {}
        for number, (upstream, mark) in self.routes.items():
            usable = {n for n in self.upstreams[upstream] if (upstream, n) not in self.drained}
            found[f"/r{number}"] = (usable, mark)
        return found

    def edit(self):
        """One to three changes of the file."""
        for _ in range(self.random.randint(1, 3)):
            self.random.choice((self._route, self._mark, self._move, self._node, self._weight))()

    def _route(self):
        number = self.random.randrange(ROUTES)
        if number in self.routes and len(self.routes) > 3:
            del self.routes[number]
        else:
            self.routes[number] = (self.random.randrange(UPSTREAMS), f"m{number}")

    def _mark(self):
        number = self.random.choice(sorted(self.routes))
        self.routes[number] = (self.routes[number][0], f"m{self.random.randrange(1000)}")

    def _move(self):
        number = self.random.choice(sorted(self.routes))
        self.routes[number] = (self.random.randrange(UPSTREAMS), self.routes[number][1])

    def _node(self):
        upstream = self.random.randrange(UPSTREAMS)
        node = self.random.randrange(NODES)
        if node in self.upstreams[upstream]:
            if len(self.usable(upstream) - {node}) >= 2:
                # What is said of it holds when it is there again.
                del self.upstreams[upstream][node]
        else:
            self.upstreams[upstream][node] = 1

    def _weight(self):
        upstream = self.random.randrange(UPSTREAMS)
        node = self.random.choice(sorted(self.upstreams[upstream]))
        self.upstreams[upstream][node] = self.random.randint(1, 5)

    def usable(self, upstream):
        """Nodes that are there, up, and not drained."""
        return {n for n in self.upstreams[upstream] if (upstream, n) not in self.drained and self.nodes.is_up(n)}

    def may_lose(self, node):
        return all(len(self.usable(upstream) - {node}) >= 2 for upstream in self.upstreams)

    def config(self, port, second, transport_config):
        routes = [
            {"id": f"r{n}", "path": f"/r{n}", "proxy-pass-id": f"u{u}", "plugin": {"headers": {"request": {"set": {"X-Mark": mark}}}}}
            for n, (u, mark) in self.routes.items()
        ]
        self.random.shuffle(routes)
        listeners = [{"id": "lab", "host": "127.0.0.1", "port": port}]
        if second:
            listeners.append({"id": "other", "host": "127.0.0.1", "port": second})
        return transport_config(
            {
                "proxy-server": {"http": listeners},
                "router": [{"id": each["id"], "proxy-server-id": each["id"], "route": routes} for each in listeners],
                "proxy-pass": [{"id": f"u{u}", "upstream-id": f"u{u}"} for u in self.upstreams],
                "upstream": [
                    {"id": f"u{u}", "nodes": [{"url": f"http://127.0.0.1:{self.nodes.ports[n]}", "weight": w} for n, w in nodes.items()]}
                    for u, nodes in self.upstreams.items()
                ],
            }
        )


class Client:
    """Asks, one request after the other, on connections that it keeps where it may."""

    def __init__(self, port, model, seed):
        self.port, self.model = port, model
        self.random = random.Random(seed)
        self.count, self.wrong, self.stop = 0, [], False

    async def run(self):
        reader = writer = None
        while not self.stop:
            if writer is None or self.random.random() < 0.1:
                if writer:
                    writer.close()
                reader = writer = None
            path = f"/r{self.random.randrange(ROUTES)}"
            began = time.monotonic()
            try:
                if writer is None:
                    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), PATIENCE_S)
                answer, keeps = await asyncio.wait_for(self._ask(reader, writer, path), PATIENCE_S)
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError) as problem:
                self.wrong.append(f"{path}: {type(problem).__name__} {problem}")
                writer = None
                await asyncio.sleep(0.05)
                continue
            self.count += 1
            ended = time.monotonic()
            if not self.model.allows(path, began, ended, answer):
                self.wrong.append(f"{path}: {answer} isn't what any configuration of that time says; {self.model.shown(path, began, ended)}")
            if not keeps:
                writer.close()
                writer = None
            await asyncio.sleep(self.random.uniform(0, 0.01))
        if writer:
            writer.close()

    @staticmethod
    async def _ask(reader, writer, path):
        writer.write(f"GET {path} HTTP/1.1\r\nHost: lab\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = int(head.split(" ", 2)[1])
        length = next((int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length:")), 0)
        body = (await reader.readexactly(length)).decode()
        keeps = "connection: close" not in head
        if status != 200:
            return (status, None, None), keeps
        node, mark = body.split(" ")
        return (200, int(node), mark), keeps


class _Experiment:
    def __init__(self, bench, options):
        self.bench, self.options = bench, options
        self.random = random.Random(options.seed)
        self.nodes, self.model = Nodes(), Model()
        self.sigma = DefaultSigma(launcher=options.sigma)
        self.port, self.second = bench.free_port(), None
        self.run_dir = bench.folder / "run"
        self.path = bench.folder / "sigma.json"
        self.done = {}

    def _write(self, state, text=None):
        beside = self.path.with_name("sigma.json.new")
        beside.write_text(text or json.dumps(state.config(self.port, self.second, self.sigma.with_transport), indent=1))
        beside.rename(self.path)

    async def _ask(self, command, **arguments):
        """What the gateway answers; it may be about to be another process."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await asyncio.to_thread(asked, self.run_dir, command, arguments, 3 * PATIENCE_S)
            except OSError:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.01)

    async def run(self):
        for number in range(NODES):
            await self.nodes.start(number)
        state = Changes(self.options.seed, self.nodes)
        self._write(state)
        command = [*self.sigma.launcher, "run", "-conf", str(self.path), "--run-dir", str(self.run_dir), "-instance", str(self.options.workers)]
        started = self.bench.start("sigma", command, self.bench.proxy_core)
        self.model.begin(state.paths())
        self.model.holds()
        while not await asyncio.to_thread(answers, self.port, "/r0"):
            if started.popen.poll() is not None:
                raise LabError(f"Sigma ended\n{started.log_tail()}")
            await asyncio.sleep(0.05)
        clients = [Client(self.port, self.model, number) for number in range(CLIENTS)]
        tasks = [asyncio.create_task(client.run()) for client in clients]
        end = time.monotonic() + self.options.seconds
        try:
            while time.monotonic() < end:
                state = await self._change(state)
                await asyncio.sleep(self.random.uniform(*PAUSE_S))
        finally:
            for client in clients:
                client.stop = True
            await asyncio.wait(tasks, timeout=2 * PATIENCE_S)
            await self._end(started)
        return sum(client.count for client in clients), [wrong for client in clients for wrong in client.wrong]

    async def _end(self, started):
        """The process that serves may be another one than the first: whoever is asked ends with all before it."""
        try:
            await self._ask("stop")
        except OSError:
            pass
        end = time.monotonic() + PATIENCE_S
        while started.popen.poll() is None and time.monotonic() < end:
            await asyncio.sleep(0.05)

    async def _change(self, state):
        what = self.random.random()
        if what < UPGRADE_SHARE and self.options.upgrades:
            return await self._upgrade(state)
        if what < 0.55:
            return await self._reload(state)
        if what < 0.65:
            return await self._broken(state)
        if what < 0.85:
            return await self._steer(state)
        return await self._fail(state)

    def _count(self, what):
        self.done[what] = self.done.get(what, 0) + 1

    async def _reload(self, state):
        after = state.copy()
        after.edit()
        if self.random.random() < 0.1:
            self.second = None if self.second else self.bench.free_port()
        self._write(after)
        self.model.begin(after.paths())
        answer = await self._ask("reload")
        if not answer.get("ok"):
            raise LabError(f"a reload was refused: {answer}")
        self.model.holds()
        self._count("reloads")
        return after

    async def _broken(self, state):
        text = self.path.read_text()
        broken = self.random.choice((text[: len(text) // 2], text.replace('"path"', '"pth"', 1), "", text.replace("127.0.0.1:", "127.0.0.1:x", 1)))
        self._write(state, broken or " ")
        answer = await self._ask("reload")
        self._write(state)
        if answer.get("ok"):
            raise LabError("a broken configuration was taken")
        self._count("broken")
        return state

    async def _steer(self, state):
        after = state.copy()
        upstream = self.random.randrange(UPSTREAMS)
        node = self.random.choice(sorted(after.upstreams[upstream]))
        name = f"127.0.0.1:{self.nodes.ports[node]}"
        if (upstream, node) in after.drained:
            after.drained.discard((upstream, node))
            command = "restore"
        elif len(after.usable(upstream) - {node}) >= 2:
            after.drained.add((upstream, node))
            command = self.random.choice(("drain", "eject"))
        else:
            return state
        self.model.begin(after.paths())
        answer = await self._ask(command, node=name, upstream=f"u{upstream}")
        if not answer.get("ok"):
            raise LabError(f"{command} was refused: {answer}")
        self.model.holds()
        self._count("words")
        return after

    async def _fail(self, state):
        """A node dies, or is there again: nobody is to notice, since requests are tried at another one."""
        node = self.random.randrange(NODES)
        if not self.nodes.is_up(node):
            await self.nodes.start(node)
        elif state.may_lose(node):
            await self.nodes.kill(node)
        self._count("failures")
        return state

    async def _upgrade(self, state):
        answer = await self._ask("upgrade", launcher=self.sigma.launcher[0])
        if not answer.get("ok"):
            raise LabError(f"an upgrade was refused: {answer}")
        self._count("upgrades")
        return state


def changes(options):
    """Runs the experiment; returns the exit code."""
    require_programs("taskset")
    options.seconds = QUICK_S if options.quick else 60 * options.minutes
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        experiment = _Experiment(bench, options)
        print(f"seed {options.seed}, {experiment.sigma.version()}", flush=True)
        count, wrong = asyncio.run(experiment.run())
    done = ", ".join(f"{number} {what}" for what, number in sorted(experiment.done.items()))
    print(f"{count} requests, {len(wrong)} wrong; {done}")
    for each in wrong[:20]:
        print(f"  {each}")
    return 1 if wrong or not count else 0
