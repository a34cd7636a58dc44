"""h2load: HTTP/2 over TLS, or without it by prior knowledge; one bounded run, pinned to the load's core. And nghttp, for single requests."""

import re
import subprocess
import time

from . import load
from .bench import LabError
from .programs import find_program

END_TIMEOUT_S = 30
FETCH_TIMEOUT_S = 5


class H2load:
    """One h2load with one thread, running from its construction on.

    `spread` is (connections, streams on each); `posted` has a file to POST and header fields; `length` is how long each answer's body is.
    """

    def __init__(self, bench, url, spread, seconds, length, posted=None):
        self._bench = bench
        self._length = length
        self._what = f"h2load -c{spread[0]} -m{spread[1]} -D{seconds} {url}"
        self._seconds = seconds
        self._log_path = bench.folder / "h2load.csv"
        self._log_path.unlink(missing_ok=True)
        command = ["h2load", "-t1", f"-c{spread[0]}", f"-m{spread[1]}", f"-D{seconds}", f"--log-file={self._log_path}"]
        if posted:
            command += [f"--data={posted.file}", *(f"--header={field}" for field in posted.fields)]
        self._started = bench.start("h2load", [*command, url], bench.load_core)

    def finish(self):
        """What it says: requests, errors, the protocol, and each answer's end, in seconds of the monotonic clock, with its latency in µs."""
        try:
            self._started.popen.wait(self._seconds + END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self._what} did not end") from None
        finally:
            self._bench.stop(self._started)
        text = self._started.log_path.read_text(errors="replace").rpartition("starting benchmark")[2]
        counts = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored", text)
        data = re.search(r"\((\d+)\) data", text)
        if self._started.popen.returncode != 0 or not counts or not data:
            raise LabError(f"{self._what} failed with {self._started.popen.returncode}\n{self._started.log_tail()}")
        done, succeeded, failed, errored = (int(count) for count in counts.groups())
        if int(data.group(1)) < succeeded * self._length:
            raise LabError(f"{self._what}: {int(data.group(1)):,} bytes of {succeeded:,} answers (expected: {self._length:,} each)")
        protocol = re.search(r"Application protocol: (\S+)", text)
        return {
            "requests": done,
            "rps": done / self._seconds,
            "errors": {"failed": errored, "status": failed - errored},
            "protocol": protocol.group(1) if protocol else None,
            "answers": self._answers(),
        }

    def _answers(self):
        """[(when it ended, latency in µs)] of all that were answered."""
        since_epoch = time.time() - time.monotonic()
        found = []
        if not self._log_path.exists():
            return found
        with open(self._log_path, encoding="ascii") as lines:
            for line in lines:
                began_us, status, latency_us = line.split("\t")[:3]
                if status != "-1":
                    found.append(((int(began_us) + int(latency_us)) / 1e6 - since_epoch, int(latency_us)))
        return found


def h2load(bench, url, spread, seconds, length, posted=None, looks=()):
    """Runs h2load to its end; `looks` as in `load.watched`."""
    return load.watched(H2load(bench, url, spread, seconds, length, posted), looks)


def fetch(url, posted=None):
    """What nghttp gets from there over HTTP/2, or None; with `posted` it is all that nghttp tells of frames and fields, too."""
    command = [find_program("nghttp"), "--no-verify-peer", "--no-dep", f"--timeout={FETCH_TIMEOUT_S}"]
    if posted:
        command += ["--verbose", f"--data={posted.file}", *(f"--header={field}" for field in posted.fields)]
    try:
        result = subprocess.run(
            [*command, url], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=2 * FETCH_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return result.stdout if result.returncode == 0 and result.stdout else None
