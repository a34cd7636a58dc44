"""The lab's own traffic (`lab/traffic`, written in Go): nodes that can be told to misbehave, loads, slow clients, downloads, and messages there and back."""

import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import time
from dataclasses import dataclass

from .bench import LAB_DIR, TARGET_DIR, LabError
from .programs import Place, find_program

PROGRAM = TARGET_DIR / "traffic" / "traffic"
BUILD_TIMEOUT_S = 300
TALK_END_S = 20
NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
# As in board.go.
FIELDS = ("gets", "posts", "checks", "others", "accepted", "open", "open_max", "in_flight", "in_flight_max", "ready_ns")
_FIELDS_MAX = 16
SLICES = 1024
SLICE_S = 0.1
OK = "ok"


def build():
    """Builds the program where it is older than its sources."""
    sources = LAB_DIR / "traffic"
    if PROGRAM.exists() and all(path.stat().st_mtime <= PROGRAM.stat().st_mtime for path in sources.iterdir()):
        return
    go = find_program("go")
    if not go:
        raise LabError("the lab's nodes and load are built from lab/traffic, and Go is not installed (Debian package golang)")
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    command = [go, "build", "-buildvcs=false", "-o", PROGRAM, "."]
    result = subprocess.run(
        command, cwd=sources, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUILD_TIMEOUT_S, check=False
    )
    if result.returncode != 0:
        raise LabError("lab/traffic could not be built\n" + result.stdout.decode(errors="replace").strip())


class Node:
    """One node on the load's core. It can be killed and started again: its port, counts and journal stay."""

    def __init__(self, bench, name, delay_ms=0):
        self.name = name
        self.port = bench.free_port()
        self._bench = bench
        self._delay_ms = delay_ms
        self._epoch_ns = time.monotonic_ns()
        self._board_path = bench.folder / f"{name}-{self.port}.board"
        self._journal_path = bench.folder / f"{name}-{self.port}.journal"
        # Abstract: no file, and no limit on the length of a path.
        self._control = f"sigma-lab-{os.getpid()}-{name}-{self.port}"
        self._board = None
        self.started = None

    @property
    def pid(self):
        return self.started.pid

    def start(self):
        """Starts it and waits until it listens."""
        before_ns = time.monotonic_ns()
        command = [PROGRAM, "node", "-listen", f"127.0.0.1:{self.port}", "-control", f"@{self._control}"]
        command += ["-board", self._board_path, "-journal", self._journal_path]
        command += ["-delay", f"{self._delay_ms}ms", "-epoch", self._epoch_ns]
        self.started = self._bench.start(f"{self.name}-{self.port}", command, self._bench.load_core, ends_with=signal.SIGKILL)
        self._bench.await_true(self.started, lambda: self.counts()["ready_ns"] > before_ns, "listening", 10, pause_s=0.002)

    def kill(self):
        self._bench.kill(self.started)

    def freeze(self):
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.pid, signal.SIGCONT)

    def behave(self, mode):
        """Takes a mode of node.go: fine, slow, 500, close, garbage, cut. It holds when this returns."""
        self._tell(mode)

    def mark(self):
        """From now on its maxima count anew."""
        self._tell("mark")

    def _tell(self, mode):
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(5)
            control.connect("\0" + self._control)
            control.sendall(f"{mode}\n".encode())
            said = control.recv(64)
        if said != b"ok\n":
            raise LabError(f"{self.name}: {mode}: {said!r} (expected: ok)")

    def counts(self):
        """Its counts of now, by name; all are since it was first started, but those that FIELDS calls max, which are since it was last."""
        words = self._words(0, len(FIELDS))
        return dict(zip(FIELDS, words))

    def accepted_between(self, from_ns, to_ns):
        """Connections that it accepted between two times of the monotonic clock, in whole tenths of a second."""
        first, last = (int((at - self._epoch_ns) / NS_PER_S / SLICE_S) for at in (from_ns, to_ns))
        return sum(self._words(_FIELDS_MAX + SLICES + first, last - first + 1))

    def gets_between(self, from_ns, to_ns):
        """GETs of the load that it saw."""
        first, last = (int((at - self._epoch_ns) / NS_PER_S / SLICE_S) for at in (from_ns, to_ns))
        return sum(self._words(_FIELDS_MAX + first, last - first + 1))

    def posts(self):
        """The paths of all POSTs whose heads it read, in order."""
        return self._journal_path.read_text().split() if self._journal_path.exists() else []

    def _words(self, first, count):
        if self._board is None:
            size = 8 * (_FIELDS_MAX + 2 * SLICES)
            if not self._board_path.exists() or self._board_path.stat().st_size < size:
                return [0] * count
            with open(self._board_path, "rb") as file:
                self._board = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ)
        return list(struct.unpack_from(f"<{count}q", self._board, 8 * first))


class Cluster:
    """Several nodes; what a Field has for an upstream."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.place = Place("nodes", [node.port for node in nodes], None)

    def total(self, field):
        return sum(node.counts()[field] for node in self.nodes)


@dataclass(frozen=True)
class Request:
    """One request of a load: when it was due in s after the load's start, how late a free client came to send it, how long it took, how it ended."""

    kind: str
    due_s: float
    late_us: int
    latency_us: int
    ended_s: float
    outcome: str

    @property
    def is_right(self):
        return self.outcome == OK


class Load:
    """A paced load, which begins at `start_ns` of the monotonic clock."""

    def __init__(self, bench, port, *, start_ns, seconds, patience_s, clients=40, posters=0, every_ms=25, path="/load"):
        self._bench = bench
        self._wait_s = (start_ns - time.monotonic_ns()) / NS_PER_S + seconds + 2 * patience_s + 30
        self._records = bench.folder / f"load-{start_ns}.csv"
        command = [PROGRAM, "load", "-to", f"127.0.0.1:{port}", "-path", path, "-out", self._records]
        command += ["-clients", clients, "-posters", posters, "-every", f"{every_ms}ms"]
        command += ["-start", start_ns, "-for", f"{seconds}s", "-patience", f"{patience_s}s"]
        self._started = bench.start("load", command, bench.load_core)

    def finish(self):
        """Waits for its end; returns all requests, in the order of when they were due."""
        try:
            self._started.popen.wait(self._wait_s)
        except subprocess.TimeoutExpired:
            raise LabError("the load did not end") from None
        finally:
            self._bench.stop(self._started)
        if self._started.popen.returncode != 0:
            raise LabError(f"the load failed with {self._started.popen.returncode}\n{self._started.log_tail()}")
        requests = []
        for line in self._records.read_text().splitlines():
            kind, due_us, from_us, ended_us, outcome = line.split(",")
            due, begun, ended = int(due_us), int(from_us), int(ended_us)
            requests.append(Request(kind, due / 1e6, begun - due, ended - begun, ended / 1e6, outcome))
        self._records.unlink()
        return sorted(requests, key=lambda request: request.due_s)


class SlowClients:
    """Clients that upload, and that read, some hundred bytes a second, until they are stopped."""

    def __init__(self, bench, port, uploads, reads, rate):
        self._bench = bench
        command = [PROGRAM, "slow", "-to", f"127.0.0.1:{port}", "-uploads", uploads, "-reads", reads, "-rate", rate]
        self.started = bench.start(f"slow-{port}", command, bench.load_core)

    def await_all(self, timeout_s=60):
        """Waits until each has tried to connect; what has become of them."""
        self._bench.await_true(self.started, lambda: self._said("ready"), "all connected", timeout_s)
        return self._said("ready")

    def finish(self):
        """Ends them; what has become of them."""
        self._bench.stop(self.started)
        said = self._said("end")
        if not said:
            raise LabError(f"the slow clients ended early\n{self.started.log_tail()}")
        return said

    def _said(self, when):
        return _said(self.started, when)


class EchoNode:
    """A node on the load's core, which sends every message back: one of WebSocket, tcp, grpc or udp."""

    def __init__(self, bench, kind="websocket"):
        port = bench.free_port()
        command = [PROGRAM, "echo", "-kind", kind, "-listen", f"127.0.0.1:{port}"]
        self.place = Place("direct", port, bench.start(f"echo-{kind}", command, bench.load_core))


class Running:
    """Traffic that goes on until it is told to end, and says then what has become of it."""

    def __init__(self, bench, name, words):
        self._bench = bench
        self._started = bench.start(name, [PROGRAM, *words], bench.load_core)
        # Runs share the log of their name.
        self._log_from = self._started.log_path.stat().st_size

    def await_all(self, timeout_s=60):
        """Waits until each has begun or failed to; what they say then."""
        self._bench.await_true(self._started, lambda: self._said("ready"), "all begun", timeout_s)
        return self._said("ready")

    def end(self, timeout_s=TALK_END_S):
        """Has them end, each in its own way, and returns what they say."""
        if self._started.popen.poll() is None:
            os.kill(self._started.pid, signal.SIGTERM)
        try:
            self._started.popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self._started.name} did not end within {timeout_s} s") from None
        finally:
            self.stop()
        return self._told()

    def stop(self):
        self._bench.stop(self._started)

    def _told(self):
        said = self._said("end")
        if self._started.popen.returncode != 0 or not said:
            raise LabError(f"{self._started.name} ended with {self._started.popen.returncode}\n{self._started.log_tail()}")
        return said

    def _said(self, when):
        return _said(self._started, when, self._log_from)


class Talk(Running):
    """Clients of WebSocket, or of tcp or grpc: each has a message echoed, and then keeps `flight` of them under way for `seconds`, with a pause after each echo;
    without any it stays idle. With `each` a connection ends after so many messages, and another one takes its place. `port` may be several, in turn."""

    def __init__(
        self, bench, port, connections, *, kind="websocket", path="/echo", flight=0, seconds=0, settle_s=1, message_bytes=125, pause_s=0, each=0
    ):
        self._what = f"{connections:,} clients of {kind}"
        self._length_s = seconds + 2 * settle_s
        to = ",".join(f"127.0.0.1:{each_port}" for each_port in (port if isinstance(port, list) else [port]))
        words = ["talk", "-kind", kind, "-to", to, "-path", path, "-connections", connections, "-flight", flight]
        words += ["-bytes", message_bytes, "-settle", f"{settle_s}s", "-for", f"{seconds}s", "-pause", f"{pause_s}s", "-each", each]
        name = f"talk-{kind}-in-turn" if each else f"talk-{kind}"
        super().__init__(bench, f"{name}-on-many" if isinstance(port, list) else name, words)

    def finish(self):
        """What they say at their end: messages that came back while it was counted, their latencies, and what failed."""
        try:
            self._started.popen.wait(self._length_s + TALK_END_S)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self._what} did not end") from None
        finally:
            self.stop()
        return self._told()


class Flood(Running):
    """Clients that ask again as soon as they are answered, or after a pause; `fresh` ones on a connection for each request."""

    def __init__(self, bench, port, clients, *, path="/load", fresh=False, pause_ms=0, patience_s=10):
        words = ["flood", "-to", f"127.0.0.1:{port}", "-path", path, "-clients", clients, "-pause", f"{pause_ms}ms", "-patience", f"{patience_s}s"]
        super().__init__(bench, "flood-fresh" if fresh else "flood", [*words, "-fresh"] if fresh else words)


class Downloads(Running):
    """Clients that read long bodies slowly and look at each byte. Who has one whole begins another one; at the end all read what is left."""

    def __init__(self, bench, port, clients, *, lengths, rate):
        words = ["long", "-to", f"127.0.0.1:{port}", "-clients", clients, "-bytes", ",".join(map(str, lengths)), "-rate", rate]
        super().__init__(bench, "downloads", words)


class Datagrams(Running):
    """Clients of UDP, each with one datagram under way; `fresh` ones take another socket for each."""

    def __init__(self, bench, port, *, kept, fresh, pause_ms):
        words = ["datagrams", "-to", f"127.0.0.1:{port}", "-kept", kept, "-fresh", fresh, "-pause", f"{pause_ms}ms"]
        super().__init__(bench, "datagrams", words)


def has_grpc():
    """Whether the program was built by a Go that speaks HTTP/2 without TLS."""
    said = subprocess.run([PROGRAM, "kinds"], stdout=subprocess.PIPE, timeout=10, check=True)
    return b"grpc" in said.stdout.split()


class Latencies:
    """Latencies of many requests, counted in the buckets of histogram.go."""

    _BITS = 6

    def __init__(self, *counted):
        self._counts = {}
        for counts in counted:
            for bucket, count in counts.items():
                self._counts[int(bucket)] = self._counts.get(int(bucket), 0) + count

    def share_us(self, part):
        """What `part` of them don't exceed; None without any."""
        left = part * sum(self._counts.values())
        for bucket, count in sorted(self._counts.items()):
            left -= count
            if left <= 0:
                return self._most_us(bucket)
        return None

    def _most_us(self, bucket):
        e = max(0, (bucket >> self._BITS) - 1)
        return ((bucket - (e << self._BITS) + 1) << e) - 1


def _said(started, when, log_from=0):
    """The line of JSON that a program of lab/traffic has printed at that point, None where it hasn't yet."""
    for line in started.log_path.read_bytes()[log_from:].decode(errors="replace").splitlines(keepends=True):
        if line.startswith("{") and line.endswith("\n"):
            said = json.loads(line)
            if said["when"] == when:
                return said
    return None


def share(values, part):
    """The value that `part` of the sorted values don't exceed; None without any."""
    return values[min(len(values) - 1, int(len(values) * part))] if values else None
