"""Sigma in the soaks: with its defaults, in front of the nodes of a load and of all that stands."""

import json

from .bench import LabError
from .client import Connection
from .sigma import DefaultSigma
from .steering import asked

PATIENCE_S = 60
PAGE_WIDTH = 158


def replace(path, text):
    """Written anew beside the file and put into its place, as careful tools do it."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(text)
    beside.rename(path)


class SoakedSigma(DefaultSigma):
    """`number` is that of the configuration: each has a route of its own, and other nodes of the load, or other weights."""

    def __init__(self, nodes, standing, *, transport=None, launcher=None, workers=1):
        super().__init__(transport, launcher)
        self.workers = workers
        self.number = 0
        self._nodes, self._standing = nodes, standing
        self.run_dir = self.path = self.port = None

    def command(self, bench, upstream_port, port, access_log=False):
        self.run_dir = bench.folder / f"run-{port}"
        self.path = bench.folder / f"sigma-{self.transport}-{port}.json"
        self.port = port
        return [*super().command(bench, upstream_port, port, access_log), "--run-dir", str(self.run_dir)]

    def config(self, port, upstream_port, access_log):
        lead = [{"id": "load", "path": "/load", "proxy-pass-id": "up"}, {"id": "new", "path": f"/n{self.number}", "proxy-pass-id": "up"}]
        # Three of four, another one missing each time, and other weights.
        chosen = [node for at, node in enumerate(self._nodes) if at != self.number % len(self._nodes)] if len(self._nodes) > 1 else self._nodes
        nodes = [{"url": f"http://127.0.0.1:{node.port}", "weight": 1 + (self.number + at) % 3} for at, node in enumerate(chosen)]
        upstreams = [{"id": "up", "nodes": nodes}, *self._standing.upstreams()]
        config = {
            "proxy-server": {"http": {"id": "lab", "host": "127.0.0.1", "port": port}, "tcp": self._standing.tcp_servers()},
            "router": [{"id": "lab", "proxy-server-id": "lab", "route": [*lead, *self._standing.routes()]}],
            "proxy-pass": [{"id": upstream["id"], "upstream-id": upstream["id"]} for upstream in upstreams],
            "upstream": upstreams,
        }
        return self.with_transport(config)

    def text(self):
        """The sigma.json of its number."""
        return json.dumps(self.config(self.port, None, None), indent=1)

    def asked(self, command, **arguments):
        """What the running one answers."""
        return asked(self.run_dir, command, arguments, PATIENCE_S)

    def reload(self, number, generation):
        """Has that configuration take effect, as one of that generation, and sees that it has."""
        self.number = number
        replace(self.path, self.text())
        answer = self.asked("reload")
        found = answer.get("json", {}).get("generation")
        if not answer.get("ok") or found != generation:
            raise LabError(f"reload {number}: {answer.get('text', answer)} (expected: generation {generation})")
        self.see(number)

    def refuse(self, number):
        """Has it read the file of that number cut off somewhere, which it must not take."""
        before, self.number = self.number, number
        text = self.text()
        self.number = before
        replace(self.path, text[: max(1, len(text) * (1 + number % 97) // 98 - 1)])
        answer = self.asked("reload")
        if answer.get("ok"):
            raise LabError(f"reload {number}: a file that was cut off was taken: {answer}")
        self.see(before)

    def see(self, number):
        """The route of that number is there, and that of the one before isn't."""
        with Connection(self.port, timeout_s=PATIENCE_S) as connection:
            for path, status in ((f"/n{number}", 200), (f"/n{number - 1}", 404), (f"/n{number + 1}", 404)):
                found = connection.get(path).status
                if found != status:
                    raise LabError(f"reload {number} holds, but {path} gets {found} (expected: {status})")
