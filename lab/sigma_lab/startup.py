"""From typing `sigma run` to the first 200, on all cores, with Sigma built and its caches made."""

import itertools
import re
import socket
import time
from statistics import median

from . import machine, measure
from .bench import Bench, LabError
from .client import answers
from .field import Field, require_programs, wanted
from .programs import Place
from .sheet import write_sheet
from .sigma import both_forms

SECONDS_MAX = 0.8
DEFAULT_PORT = 8080
UNMEASURED = 2
POLL_S = 0.001
START_TIMEOUT_S = 60


def start(options):
    """Runs the experiment and writes start.json and .md; returns the exit code."""
    require_programs("taskset", "nginx")
    with Bench(options.proxy_core, options.load_core, options.keep) as bench:
        facts = machine.describe()
        forms = [sigma for sigma in both_forms(options.sigma) if sigma.transport == "epoll"]
        field = Field(bench, options, wanted(forms, options.only))
        if not field.proxies:
            raise LabError("; ".join(field.left_out.values()))
        ways = (("sigma run", _by_default), ("sigma run -conf sigma.json -instance 1", _configured))
        rows, bounds = [], []
        for sigma, (what, way) in itertools.product(field.proxies, ways):
            times = [_timed(bench, field, sigma, way) for _ in range(UNMEASURED + options.starts)]
            first, seconds = times[0], times[UNMEASURED:]
            rows.append([f"`{what}`", "native binary" if sigma.native else "JVM", *(f"{value:.3f}" for value in (median(seconds), min(seconds), max(seconds), first))])
            print(f"{sigma.name}, {what}: median {median(seconds):.3f} s of {len(seconds)}", flush=True)
            if way is _by_default and not sigma.native:
                value = median(seconds)
                bounds.append((f"`{what}` to the first 200", f"{value:.3f} s", f"<= {SECONDS_MAX} s", value <= SECONDS_MAX))
        intro = [
            f"Seconds from starting the launcher, or a binary, to the first 200 over TCP, asked every millisecond; {options.starts} starts on all cores,",
            f"after {UNMEASURED} that are not counted (the first of them is shown: it may have made caches).",
        ]
        columns = ["command", "form", "median s", "least s", "most s", "first s"]
        return write_sheet("start", "Start-up", intro, field, facts, [("Start-up", columns, rows)], bounds, options)


def _timed(bench, field, sigma, way):
    command, find_port = way(bench, field, sigma)
    began = time.monotonic()
    started = bench.start("sigma-start", command, core=None)
    place = Place(sigma.name, 0, started)
    while True:
        port = find_port(started)
        if port and answers(port, measure.PATH):
            break
        if started.popen.poll() is not None or time.monotonic() - began > START_TIMEOUT_S:
            raise LabError(f"no answer from `{' '.join(command)}`\n{place.started.log_tail()}")
        time.sleep(POLL_S)
    seconds = time.monotonic() - began
    bench.stop(started)
    if started.popen.returncode != 0:
        print(f"warning: Sigma ended with {started.popen.returncode} after SIGTERM (expected: 0)", flush=True)
    started.log_path.unlink()
    return seconds


def _by_default(_bench, _field, sigma):
    """What is built in: port 8080, or the one that Sigma prints where 8080 is taken."""
    if _is_free(DEFAULT_PORT):
        return [*sigma.launcher, "run"], lambda _started: DEFAULT_PORT
    return [*sigma.launcher, "run"], _printed_port


def _configured(bench, field, sigma):
    port = bench.free_port()
    return sigma.command(bench, field.upstream.place.port, port), lambda _started: port


def _printed_port(started):
    found = re.search(r"https?://[\w.\[\]:]+?:(\d+)/test/", started.log_path.read_text(errors="replace"))
    return int(found.group(1)) if found else None


def _is_free(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
