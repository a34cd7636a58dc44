"""What happens to nodes: a fault begins at a moment of a paced load, may go on changing, and is lifted at the end."""

from dataclasses import dataclass, field
from typing import Callable

FLAP_S = 1.0
DOWN_S = 3.0
OTHERS_BACK_S = 5.0
SMALL_PATH = "/load"
LARGE_PATH = "/load/64k"


@dataclass(frozen=True)
class Fault:
    """One fault, whatever number of nodes it hits."""

    name: str
    what: str
    # (the experiment's network, the nodes hit, seconds after the fault in all) -> [(seconds after it, what to do then)]
    steps: Callable
    # What lets through what nodes have not read yet, so that a POST that was sent twice shows; None where there is nothing.
    lift: Callable = None
    path: str = SMALL_PATH
    # Answers are cut after the first bytes went to the client, which nothing can repair.
    cuts: bool = False
    needs_network: bool = False


@dataclass(frozen=True)
class Row:
    """A fault with the number of nodes it hits, of the cluster's four."""

    fault: Fault
    hit: int
    name: str = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "name", f"{self.fault.name}-{self.hit}")

    @property
    def title(self):
        return f"{self.fault.name}, {self.hit} of 4"


def _each(method, *words):
    """Does one thing to all of them, at once."""

    def steps(_network, nodes, _seconds):
        return [(0, lambda: _all(nodes, method, *words))]

    return steps


def _all(nodes, method, *words):
    for node in nodes:
        getattr(node, method)(*words)


def _dropping(network, nodes, _seconds):
    return [(0, lambda: [network.drop(node.port) for node in nodes])]


def _passing(network, nodes):
    for node in nodes:
        network.pass_again(node.port)


def _flapping(_network, nodes, seconds):
    changes = int(seconds / FLAP_S)
    return [(FLAP_S * number, lambda down=number % 2 == 0: _all(nodes, "kill" if down else "start")) for number in range(changes)]


FAULTS = (
    Fault("killed", "ended with SIGKILL: connections are reset, new ones refused", _each("kill")),
    Fault(
        "stopped",
        "SIGSTOP: the kernel takes connections and requests, nothing answers",
        _each("freeze"),
        lambda _network, nodes: _all(nodes, "thaw"),
    ),
    Fault("dropped", "all packets to it and from it are lost", _dropping, _passing, needs_network=True),
    Fault("slow", "each answer, also to checks, takes 5 s", _each("behave", "slow")),
    Fault("500", "each answer, also to checks, is 500", _each("behave", "500")),
    Fault("flapping", "killed, started a second later, killed a second later, and so on", _flapping),
    Fault("closing", "connections are accepted and closed, also those that are open", _each("behave", "close")),
    Fault("garbage", "requests, also checks, are answered with what isn't HTTP", _each("behave", "garbage")),
    Fault(
        "cut",
        "answers of 64 KiB, also to checks, are reset after two thirds",
        _each("behave", "cut"),
        path=LARGE_PATH,
        cuts=True,
    ),
)


def rows():
    """All that `lab/lab chaos` has, by name."""
    return {row.name: row for fault in FAULTS for row in (Row(fault, 1), Row(fault, 2))}


@dataclass(frozen=True)
class Outage:
    """All nodes at once, until one comes back and then the others."""

    name: str
    what: str
    begin: Callable
    end: Callable


def _well_again(node):
    node.mark()
    node.behave("fine")


OUTAGES = {
    outage.name: outage
    for outage in (
        Outage("down", "all four are killed; after 3 s one is started, after 5 s the others", lambda node: node.kill(), lambda node: node.start()),
        Outage(
            "failing",
            "all four answer 500; after 3 s one is well again, after 5 s the others",
            lambda node: node.behave("500"),
            _well_again,
        ),
    )
}
