"""The bench of one experiment: its work folder, its ports and every process it starts. Leaving it ends and removes them all."""

import atexit
import ctypes
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

LAB_DIR = Path(__file__).resolve().parent.parent
ROOT_DIR = LAB_DIR.parent
TARGET_DIR = LAB_DIR / "target"

STOP_TIMEOUT_S = 15
OPEN_FILES_WANTED = 65_536
# Below the range that Linux gives to outgoing connections, so that a load generator can't take a port that is about to be bound.
PORT_FIRST, PORT_LAST = 18_000, 31_999

_PR_SET_PDEATHSIG = 1
_AUTOGROUP = Path("/proc/self/autogroup")
_LIBC = ctypes.CDLL(None, use_errno=True)


class LabError(Exception):
    """Something that ends the experiment with one line for the reader."""


class Started:
    """One process that the bench started; its children belong to it."""

    def __init__(self, name, popen, log_path, ends_with):
        self.name = name
        self.popen = popen
        self.log_path = log_path
        self.ends_with = ends_with

    @property
    def pid(self):
        return self.popen.pid

    def log_tail(self, lines=12):
        text = self.log_path.read_text(errors="replace").strip()
        return "\n".join(text.splitlines()[-lines:])


class Bench:
    """Use with `with`. Ends its processes on normal exit, errors, Ctrl-C, SIGTERM and SIGHUP."""

    def __init__(self, proxy_core=0, load_core=1, keep=False):
        cores = os.sched_getaffinity(0)
        if proxy_core == load_core or not {proxy_core, load_core} <= cores:
            raise LabError(f"cores {proxy_core} and {load_core} (expected: two different ones of {sorted(cores)})")
        self.proxy_core = proxy_core
        self.load_core = load_core
        self.keep = keep
        self.folder = None
        self._running = []
        self._ports_taken = set()
        self._handlers = {}
        self._cores_before = cores

    def __enter__(self):
        TARGET_DIR.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix="bench-", dir=TARGET_DIR))
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, _raise_exit)
        self._handlers[signal.SIGINT] = signal.getsignal(signal.SIGINT)
        # The lab's own work, small as it is, belongs beside the load and not beside the proxy.
        os.sched_setaffinity(0, {self.load_core})
        return self

    def __exit__(self, *_):
        for number in self._handlers:  # a second Ctrl-C must not cut the tidying short
            signal.signal(number, signal.SIG_IGN)
        for started in reversed(list(self._running)):
            self.stop(started)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.sched_setaffinity(0, self._cores_before)
        if self.keep:
            print(f"kept: {self.folder.relative_to(ROOT_DIR)}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def share_cores(self):
        """From here on proxies, load and upstream have both cores."""
        both = {self.proxy_core, self.load_core}
        os.sched_setaffinity(0, both)
        self.proxy_core = self.load_core = ",".join(str(core) for core in sorted(both))

    def free_port(self):
        """A port of 127.0.0.1 that nothing listens on and that this bench has not given out before."""
        for _ in range(200):
            port = random.randint(PORT_FIRST, PORT_LAST)
            if port in self._ports_taken:
                continue
            with socket.socket() as probe:
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    continue
            self._ports_taken.add(port)
            return port
        raise LabError(f"no free port found between {PORT_FIRST} and {PORT_LAST}")

    def start(self, name, command, core, env=None, ends_with=signal.SIGTERM):
        """Starts a command in the work folder, pinned to `core` (`0,1`: to two, None: not pinned); its output goes to NAME.log there.

        `ends_with` is the signal that it gets at its end, and where the lab itself is killed. A stopped process only heeds SIGKILL.
        """
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        log_path = self.folder / f"{name}.log"
        with open(log_path, "ab") as log:
            popen = subprocess.Popen(
                [str(word) for word in command],
                cwd=self.folder,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=self._in_child(core, ends_with),
            )
        started = Started(name, popen, log_path, ends_with)
        self._running.append(started)
        return started

    def stop(self, started):
        """Asks a process to end, waits, and ends it with its children where it does not."""
        if started in self._running:
            self._running.remove(started)
        if started.popen.poll() is None:
            started.popen.send_signal(started.ends_with)
            try:
                started.popen.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                print(f"warning: {started.name} did not end within {STOP_TIMEOUT_S} s and was killed")
                os.killpg(started.pid, signal.SIGKILL)
                started.popen.wait()

    def kill(self, started):
        """Ends a process and its children at once, whatever they still wait for."""
        if started in self._running:
            self._running.remove(started)
        if started.popen.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.popen.wait()

    def await_true(self, started, condition, what, timeout_s=60, pause_s=0.02):
        """Waits until `condition()` holds; fails with the end of the log where the process ends or the time is over."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            if started.popen.poll() is not None:
                raise LabError(f"{started.name} ended with {started.popen.returncode} before {what}\n{started.log_tail()}")
            if time.monotonic() > deadline:
                raise LabError(f"{started.name}: not {what} within {timeout_s} s\n{started.log_tail()}")
            time.sleep(pause_s)

    def _in_child(self, core, ends_with):
        cores = self._cores_before
        nice = os.getpriority(os.PRIO_PROCESS, 0)

        def prepare():
            # Ends the process if the lab itself is killed. Mostly with SIGTERM, so that nginx's master ends its worker too.
            _LIBC.prctl(_PR_SET_PDEATHSIG, ends_with)
            if core is None:
                os.sched_setaffinity(0, cores)
            if nice:
                _session_nice(nice)

        return prepare


def raise_priority(nice):
    """The priority of the lab and of all that it starts. The session that it was started from has it too, until the lab ends."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
        before = _session_nice(nice)
    except OSError as problem:
        raise LabError(f"--nice {nice}: {problem.strerror}") from None
    if before is not None:
        atexit.register(_session_nice, before)


def _session_nice(nice):
    """Linux shares time out among sessions before processes; returns what this one had, None where Linux doesn't."""
    if not _AUTOGROUP.exists():
        return None
    before = int(_AUTOGROUP.read_text().split()[-1])
    _AUTOGROUP.write_text(str(nice))
    return before


def raise_open_files():
    """Raises the limit of open files as far as allowed; returns it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES_WANTED)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit


def _raise_exit(number, _frame):
    raise SystemExit(128 + number)
