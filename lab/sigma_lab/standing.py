"""What is open all the while in the soaks: WebSockets, sessions of TCP, slow downloads, streams of gRPC; none of it may be lost, and every byte has to be right."""

from dataclasses import dataclass

from .bench import LabError
from .traffic import Downloads, EchoNode, Node, Talk, has_grpc

GRPC_PATH = "/lab.Echo/Talk"
FOREVER_S = 4 * 3600
OPENING_S = 120
ENDING_S = 120
WEBSOCKETS, SESSIONS, DOWNLOADS, STREAMS = "WebSockets", "TCP sessions", "downloads", "gRPC streams"


@dataclass(frozen=True)
class Amount:
    """How many of each, how long bodies are, and bytes a second of each download.

    The kernel takes up to 4 MiB of a body for a slow client, so shorter ones would be over for the proxy at once.
    """

    websockets: int
    sessions: int
    downloads: int
    streams: int
    body_lengths: tuple = (32 << 20, 8 << 20)
    rate: int = 48 << 10
    pause_s: float = 5


class StandingNodes:
    """Nodes of all that stands, and their part of sigma.json."""

    def __init__(self, bench):
        self.has_grpc = has_grpc()
        self._bench = bench
        self._echo, self._tcp = EchoNode(bench), EchoNode(bench, "tcp")
        self._grpc = EchoNode(bench, "grpc") if self.has_grpc else None
        self._long = Node(bench, "long")
        self._long.start()
        self.sessions_port = bench.free_port()

    def tcp_servers(self):
        return [{"id": "sessions", "host": "127.0.0.1", "port": self.sessions_port, "proxy-pass-id": "sessions"}]

    def routes(self):
        routes = [{"id": "echo", "path": "/echo", "proxy-pass-id": "echo"}, {"id": "long", "path": "/long/*", "proxy-pass-id": "long"}]
        return routes + ([{"id": "grpc", "path": GRPC_PATH, "proxy-pass-id": "grpc"}] if self._grpc else [])

    def upstreams(self):
        found = [
            {"id": "echo", "nodes": [f"http://127.0.0.1:{self._echo.place.port}"]},
            {"id": "long", "nodes": [f"http://127.0.0.1:{self._long.port}"]},
            {"id": "sessions", "nodes": [f"tcp://127.0.0.1:{self._tcp.place.port}"]},
        ]
        return found + ([{"id": "grpc", "nodes": [f"h2c://127.0.0.1:{self._grpc.place.port}"]}] if self._grpc else [])

    def stop(self):
        for node in (self._echo, self._tcp, self._grpc):
            if node:
                self._bench.stop(node.place.started)
        self._bench.stop(self._long.started)


class Standing:
    """Opens all of it, and says at the end what has become of each. Use with `with`."""

    def __init__(self, bench, nodes, port, amount):
        self._running, self._count = {}, {}
        try:
            for name, count, begin in self._all(bench, nodes, port, amount):
                if count:
                    self._running[name], self._count[name] = begin(count), count
            for name, running in self._running.items():
                said = running.await_all(OPENING_S)
                if said["failed"] or said["open"] < self._count[name]:
                    raise LabError(f"{said['open']} of {self._count[name]} {name} open: {said['failed']} {said['first']}")
        except BaseException:
            self.__exit__()
            raise

    @staticmethod
    def _all(bench, nodes, port, amount):
        def talk(kind, to, path="/echo"):
            return lambda count: Talk(bench, to, count, kind=kind, path=path, flight=1, seconds=FOREVER_S, pause_s=amount.pause_s)

        yield WEBSOCKETS, amount.websockets, talk("websocket", port)
        yield SESSIONS, amount.sessions, talk("tcp", nodes.sessions_port)
        yield STREAMS, amount.streams if nodes.has_grpc else 0, talk("grpc", port, GRPC_PATH)
        yield DOWNLOADS, amount.downloads, lambda count: Downloads(bench, port, count, lengths=amount.body_lengths, rate=amount.rate)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for running in self._running.values():
            running.stop()

    def end(self):
        """Ends each as it should end; {name: {"count", "ended", "messages", "failed", "first"}}."""
        found = {}
        for name, running in self._running.items():
            said = running.end(ENDING_S)
            failed = sum(said["failed"].values())
            found[name] = {
                "count": self._count[name],
                "lost": failed,
                "whole": said["ended"],
                "messages": said.get("messages"),
                "failed": said["failed"],
                "first": said["first"] or [],
            }
        return found
