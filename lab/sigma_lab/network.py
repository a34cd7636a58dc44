"""A network of the experiment's own: a loopback where packets can be dropped without anybody else noticing. It ends with its processes."""

import ctypes
import os
import re
import subprocess
from pathlib import Path

from .bench import LabError
from .programs import find_program

_CLONE_NEWNET = 0x40000000
_LIBC = ctypes.CDLL(None, use_errno=True)


class Network:
    """Use with `with`, in the main thread and before anything is started: what is started within belongs to it.

    Where it can't be had, because that takes root, `reason` says so, and everything goes over the machine's own loopback.
    """

    def __init__(self):
        self.reason = None
        self._outside = None

    def __enter__(self):
        programs = {"ip": "iproute2", "iptables": "iptables"}
        missing = [package for name, package in programs.items() if not find_program(name)]
        if missing:
            self.reason = f"{' and '.join(missing)} not installed"
            return self
        outside = os.open("/proc/self/ns/net", os.O_RDONLY)
        if _LIBC.unshare(_CLONE_NEWNET) != 0:
            os.close(outside)
            self.reason = f"no network namespace: {os.strerror(ctypes.get_errno())}"
            return self
        self._outside = outside
        _run("ip", "link", "set", "lo", "up")
        try:
            _run("iptables", "-w", "-S")
        except LabError as problem:
            self.reason = str(problem).splitlines()[-1]
        return self

    def __exit__(self, *_):
        if self._outside is not None:
            _LIBC.setns(self._outside, _CLONE_NEWNET)
            os.close(self._outside)

    @property
    def is_own(self):
        return self._outside is not None

    def drop(self, port):
        """From now on nothing gets to that port or from it, and nobody is told."""
        self._rules("-I", port)

    def pass_again(self, port):
        self._rules("-D", port)

    def refused(self):
        """How many connections could not be opened so far, by anyone in it."""
        lines = [line.split() for line in Path("/proc/self/net/snmp").read_text().splitlines() if line.startswith("Tcp:")]
        return int(dict(zip(*lines))["AttemptFails"]) if self.is_own else None

    def _rules(self, action, port):
        if not self.is_own:
            raise LabError("packets are dropped in a network of the lab's own only")
        for which in ("--dport", "--sport"):
            _run("iptables", "-w", action, "INPUT", "-p", "tcp", which, str(port), "-j", "DROP")


def _run(program, *words):
    command = [find_program(program), *words]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30, check=False)
    if result.returncode != 0:
        said = re.sub(r"\s+", " ", result.stdout.decode(errors="replace")).strip()
        raise LabError(f"{program} {' '.join(words)} ended with {result.returncode}: {said}")
