"""The load: wrk and ab, one bounded run each, pinned to the load's core."""

import json
import re
import subprocess
import time

from .bench import LAB_DIR, LabError

REQUEST_TIMEOUT_S = 2


class Wrk:
    """One wrk with one thread, running from its construction on; `finish` returns what `done` in lab.lua prints, and requests/s.

    `kind` is plain, browser-headers or close, or several words, of which `header:NAME=VALUE` is one more field, and
    `tokens:FILE` has each request carry the next token of a file.
    """

    def __init__(self, bench, url, connections, seconds, kind="plain"):
        self._bench = bench
        self._what = f"wrk -c{connections} -d{seconds}s {url}"
        self._seconds = seconds
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", f"{REQUEST_TIMEOUT_S}s", "--latency"]
        command += ["-s", str(LAB_DIR / "wrk" / "lab.lua"), url, "--", *([kind] if isinstance(kind, str) else kind)]
        self._started = bench.start("wrk", command, bench.load_core)

    def finish(self):
        try:
            # Closing thousands of connections and printing takes a moment; a wrk that hangs must not hang the lab.
            self._started.popen.wait(self._seconds + 30)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self._what} did not end") from None
        finally:
            self._bench.stop(self._started)
        lines = [line for line in self._started.log_tail(3).splitlines() if line.startswith("LAB ")]
        if self._started.popen.returncode != 0 or not lines:
            raise LabError(f"{self._what} failed with {self._started.popen.returncode}\n{self._started.log_tail()}")
        result = json.loads(lines[-1][4:])
        result["rps"] = result["requests"] * 1e6 / result["duration_us"]
        return result


def wrk(bench, url, connections, seconds, kind="plain", looks=()):
    """Runs wrk to its end; `looks` as in `watched`."""
    return watched(Wrk(bench, url, connections, seconds, kind), looks)


def watched(running, looks):
    """What a load that was just started says at its end; `looks` is [(seconds after the start, what to call then)], in order of time."""
    began = time.monotonic()
    for after_s, look in looks:
        time.sleep(max(0.0, began + after_s - time.monotonic()))
        look()
    return running.finish()


def ab(bench, url, requests, connections, keep_alive=True):
    """Runs `ab -k`, or without; returns the same keys as `wrk`, with None for what ab doesn't say."""
    return Ab(bench, url, ["-n", requests, "-c", connections], 60, keep_alive).finish()


class Ab:
    """One `ab -k`, or without where nothing is to be kept alive, running from its construction on; `finish` returns what it says."""

    def __init__(self, bench, url, words, timeout_s, keep_alive=True):
        self._bench = bench
        self._url = url
        self._timeout_s = timeout_s
        # Percentiles in parts of a millisecond are only there.
        self._percentiles = bench.folder / "ab.csv"
        command = ["ab", "-q", *(["-k"] if keep_alive else []), "-r", "-s", "10", "-e", self._percentiles, *words, url]
        self._started = bench.start("ab", command, bench.load_core)

    def finish(self):
        started = self._started
        try:
            started.popen.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            raise LabError(f"ab {self._url} did not end") from None
        finally:
            self._bench.stop(started)
        text = started.log_path.read_text(errors="replace").rpartition("Benchmarking")[2]
        if started.popen.returncode != 0 or "Complete requests" not in text:
            raise LabError(f"ab {self._url} failed with {started.popen.returncode}\n{started.log_tail()}")
        return self._result(text)

    def _result(self, text):
        def number(pattern, otherwise=0.0):
            found = re.search(pattern, text)
            return float(found.group(1)) if found else otherwise

        duration_s = number(r"Time taken for tests:\s+([\d.]+)")
        complete = int(number(r"Complete requests:\s+(\d+)"))
        rows = [line.split(",") for line in self._percentiles.read_text().splitlines()[1:]]
        micros = {int(share): int(float(millis) * 1000) for share, millis in rows}
        return {
            "requests": complete,
            "duration_us": int(duration_s * 1e6),
            "rps": complete / duration_s,
            "kept_alive": int(number(r"Keep-Alive requests:\s+(\d+)")),
            "mean_us": int(number(r"Time per request:\s+([\d.]+) \[ms\] \(mean\)") * 1000),
            **{f"p{share}_us": micros[share] for share in (50, 95, 98, 99)},
            "max_us": int(number(r"100%\s+(\d+)") * 1000),
            "errors": {
                "connect": int(number(r"Connect: (\d+)")),
                "read": int(number(r"Receive: (\d+)")),
                "write": 0,
                "timeout": int(number(r"Exceptions: (\d+)")),
                "length": int(number(r"Length: (\d+)")),
                "status": int(number(r"Non-2xx responses:\s+(\d+)")),
            },
        }
