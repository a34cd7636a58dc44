"""What the kernel knows about the load's connections, for what wrk does not tell.

wrk counts a request as over time only once its answer is there, and opens a closed connection again without a word. So a connection
that is starved to the end of a run, or dropped, is in none of its figures; the kernel's counters per socket show both.
"""

import re
import subprocess
from dataclasses import dataclass
from statistics import median

from .bench import LabError
from .load import REQUEST_TIMEOUT_S
from .programs import find_program

_LINE = re.compile(r"127\.0\.0\.1:(\d+)\s+127\.0\.0\.1:\d+")
_RECEIVED = re.compile(r"\bbytes_received:(\d+)")
_SILENT = re.compile(r"\blastrcv:(\d+)")


@dataclass(frozen=True)
class Socket:
    """One client connection: bytes received since it was opened, and time since the last of them."""

    received: int
    silent_ms: int


def clients(port, but=()):
    """The established client sockets to `port`, by their local port, without those that `but` names."""
    command = [find_program("ss"), "-tinOH", "state", "established", "dport", "=", f":{port}"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, check=False)
    if result.returncode != 0:
        raise LabError(f"ss ended with {result.returncode}: {result.stderr.decode(errors='replace').strip()}")
    found = {}
    for line in result.stdout.decode(errors="replace").splitlines():
        ends = _LINE.search(line)
        if ends and int(ends.group(1)) not in but:
            found[int(ends.group(1))] = Socket(_number(_RECEIVED, line), _number(_SILENT, line))
    return found


def compare(early, late):
    """What two looks at a keep-alive load's sockets say: connections lost, starved, and how evenly they were served."""
    served = [late[port].received - early[port].received for port in early.keys() & late.keys()]
    usual = median(served) if served else 0
    return {
        "dropped": len(late.keys() - early.keys()),
        "starved": sum(socket.silent_ms >= REQUEST_TIMEOUT_S * 1000 for socket in late.values()),
        "silent_ms_max": max((socket.silent_ms for socket in late.values()), default=0),
        # The least served connection's share of what the median one got.
        "least_served": min(served) / usual if usual else 0.0,
    }


def _number(pattern, line):
    found = pattern.search(line)  # ss leaves zeros out
    return int(found.group(1)) if found else 0
