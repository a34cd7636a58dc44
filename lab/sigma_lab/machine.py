"""Where an experiment ran: machine, kernel, programs, commit."""

import os
import platform
import subprocess
import time
from pathlib import Path

from .bench import ROOT_DIR
from .programs import find_program, first_line


def describe():
    """What a reader needs to judge the numbers; no host name, no paths."""
    cpu = _colon_fields(_output(["lscpu"]))
    memory_kib = int(_colon_fields(Path("/proc/meminfo").read_text())["MemTotal"].split()[0])
    return {
        "cpu": cpu.get("Model name", platform.machine()),
        "cores": os.cpu_count(),
        "threads_per_core": cpu.get("Thread(s) per core", "?"),
        "virtual": cpu.get("Hypervisor vendor", "no"),
        "memory_gib": round(memory_kib / (1 << 20), 1),
        "kernel": platform.release(),
        "system": _os_name(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": commit(),
        "load_average": os.getloadavg()[0],
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "sigma_java_opts": os.environ.get("SIGMA_JAVA_OPTS", ""),
    }


def versions():
    """Versions of the load generators."""
    found = {}
    if find_program("wrk"):
        found["wrk"] = first_line(["wrk", "-v"]).split(" [")[0]
    if find_program("ab"):
        found["ab"] = _package_version("apache2-utils") or first_line(["ab", "-V"])
    return found


def commit():
    """The git commit, marked where files differ from it. Results that an experiment writes don't count."""
    name = _output(["git", "-C", str(ROOT_DIR), "rev-parse", "--short=12", "HEAD"]).strip()
    changed = _output(["git", "-C", str(ROOT_DIR), "status", "--porcelain", "--", ".", ":!lab/results"]).strip()
    return (name or "unknown") + (" with uncommitted changes" if changed else "")


def _package_version(package):
    version = _output(["dpkg-query", "-W", "-f", "${Version}", package]).strip()
    return f"{package} {version}" if version else ""


def _os_name():
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.split("=", 1)[1].strip('"')
    return platform.system()


def _colon_fields(text):
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


def _output(command):
    try:
        return subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30, check=False
        ).stdout.decode(errors="replace")
    except OSError:
        return ""
