"""Before anything is measured: is the answer right, is the path rewritten, and are connections really kept on both sides?"""

import socket

from . import load, procfs
from .bench import LabError
from .client import Connection, answers
from .nginx import BODY

CONNECTIONS = 64
LOAD_S = 2
FIRST_LOOK_S, SECOND_LOOK_S = 1.2, 1.8
# Connections that may be new between two looks at a running load; with one connection a request nearly all would be.
NEW_SHARE_MAX = 0.05

UPSTREAM_PATH = "/benchmark"
# Rewritten by those that rewrite.
PATH = f"/test{UPSTREAM_PATH}"


def ready(bench, place, timeout_s=60, path=PATH):
    """Waits for the first right answer."""
    bench.await_true(place.started, lambda: answers(place.port, path, place.encrypted), "answering with 200", timeout_s)


def listening(bench, place):
    """Waits until it takes connections."""

    def connects():
        try:
            socket.create_connection(("127.0.0.1", place.port), 5).close()
            return True
        except OSError:
            return False

    bench.await_true(place.started, connects, "listening")


def answer_and_path(place, path=PATH):
    """Two requests on one connection: body, the path that the upstream sees with its query, and the connection kept."""
    prefix = path[: -len(UPSTREAM_PATH)]
    with Connection(place.port, encrypted=place.encrypted) as connection:
        answer = connection.get(path)
        _expect(place, "answer", (answer.status, answer.body), (200, BODY))
        echo = connection.get(f"{prefix}/echo/a?b=c")
        _expect(place, "the upstream's path", (echo.status, echo.body), (200, b"/echo/a?b=c"))


def connections_kept(bench, place, upstream, path=PATH, run=None):
    """Runs a short load, looks at its sockets twice; returns what it saw, fails where connections are not kept.

    The load is wrk's, or `run(looks)`, with as many connections.
    """
    run = run or (lambda looks: load.wrk(bench, place.url(path), CONNECTIONS, LOAD_S, looks=looks))
    looks = []

    def look():
        looks.append((procfs.established(remote_port=place.port), upstream.accepted()))

    before = len(procfs.established(local_port=upstream.place.port))
    result = run([(FIRST_LOOK_S, look), (SECOND_LOOK_S, look)])
    after = len(procfs.established(local_port=upstream.place.port))
    (first_clients, first_accepted), (second_clients, second_accepted) = looks
    new_clients = len(second_clients - first_clients)
    new_upstream = second_accepted - first_accepted
    between_s = SECOND_LOOK_S - FIRST_LOOK_S
    if place.requests_per_connection is None and new_clients > CONNECTIONS * NEW_SHARE_MAX:
        raise LabError(f"{place.name}: {new_clients} of {CONNECTIONS} client connections were new within {between_s:.1f} s")
    if new_upstream > result["rps"] * between_s * NEW_SHARE_MAX:
        raise LabError(f"{place.name}: {new_upstream} upstream connections were opened within {between_s:.1f} s")
    return {
        "client_connections": len(second_clients),
        "client_connections_new": new_clients,
        "upstream_connections_new": new_upstream,
        "upstream_connections_left": after - before,
        "requests": result["requests"],
        "errors": result["errors"],
    }


def _expect(place, what, found, expected):
    if found != expected:
        raise LabError(f"{place.name}: {what}: {found} (expected: {expected})\n{place.started.log_tail()}")
