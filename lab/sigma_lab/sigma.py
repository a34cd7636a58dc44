"""Sigma itself: its sigma.json for the lab, and how the launcher is called."""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from . import procfs
from .bench import ROOT_DIR, TARGET_DIR, LabError
from .nginx import FOREVER_REQUESTS, NODE_CONNECTIONS_MAX
from .programs import Place

TRANSPORTS = ("epoll", "io_uring")
BUILD_TIMEOUT_S = 900
QUEUE_MAX = 4_096
_JARS_DIR = TARGET_DIR / "jars"
_JAR = "gateway/target/sigma-named-fat.jar"
_ELF = b"\x7fELF"
# How tables and versions name a native binary; without, it is Sigma on a JVM.
NATIVE = "Sigma (native)"


class Sigma:
    """Sigma with one transport, started by the launcher (or by what --sigma names)."""

    workers = 1
    # After how many it says that a client's connection ends; None where the lab has it never end.
    requests_per_connection = None

    def __init__(self, transport, launcher=None):
        self.transport = transport
        self.name = f"Sigma {transport}"
        self.launcher = shlex.split(launcher) if launcher else [str(ROOT_DIR / "sigma")]
        self.native = is_native(launcher)

    def version_key(self):
        return NATIVE if self.native else "Sigma"

    def missing(self):
        program = self.launcher[0]
        if len(self.launcher) == 1 and not os.access(program, os.X_OK):
            return "there is no launcher `sigma` at the repository's root"
        return None

    def version(self):
        """Asks the launcher, which builds Sigma if needed, so that nothing is built while something is measured."""
        result = subprocess.run(
            [*self.launcher, "version"],
            cwd=ROOT_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=BUILD_TIMEOUT_S,
            check=False,
        )
        lines = result.stdout.decode(errors="replace").strip().splitlines()
        if result.returncode != 0:
            raise LabError(f"`sigma version` ended with {result.returncode}\n" + "\n".join(lines[-12:]))
        return (lines[-1] if lines else "sigma") + _which_jar(Path(self.launcher[0]))

    def command(self, bench, upstream_port, port, access_log=False):
        """Writes sigma.json and returns the command that runs it with one Worker."""
        path = bench.folder / f"sigma-{self.transport}-{port}.json"
        log = bench.folder / f"sigma-{self.transport}-{port}-access.log" if access_log else None
        path.write_text(json.dumps(self.config(port, upstream_port, log), indent=1))
        return [*self.launcher, "run", "-conf", str(path), "-instance", str(self.workers)]

    def config(self, port, upstream_port, access_log):
        """Its sigma.json."""
        return sigma_json(port, upstream_port, self.transport, access_log)

    def start(self, bench, upstream_port, access_log=False, java_options=""):
        port = bench.free_port()
        options = f"{os.environ.get('SIGMA_JAVA_OPTS', '')} {java_options}".strip()
        env = {"SIGMA_JAVA_OPTS": options} if options else {}
        command = self.command(bench, upstream_port, port, access_log)
        started = bench.start(f"sigma-{self.transport}-{port}", command, bench.proxy_core, env)
        return Place(self.name, port, started, self.requests_per_connection)

    def check_transport(self, place):
        """Fails where the process does not use the transport that was asked for, whatever it prints."""
        if self.transport == "io_uring":
            used = "anon_inode:[io_uring]" in procfs.open_kinds(place.pid)
        else:
            used = procfs.mapped(place.pid, "netty_transport_native_epoll")
        if not used:
            raise LabError(f"runs on another transport (expected: {self.transport})\n{place.started.log_tail()}")


class DefaultSigma(Sigma):
    """Sigma with nothing set but a route and an upstream; and its transport, where one is named."""

    requests_per_connection = 10_000

    def __init__(self, transport=None, launcher=None, name="Sigma"):
        super().__init__(transport or "auto", launcher)
        self.name = f"{name} {transport}" if transport else name

    def config(self, port, upstream_port, access_log):
        config = sigma_json(port, upstream_port, self.transport, access_log)
        for key in ("proxy-client", "limits", "timeouts", "runtime"):
            del config[key]
        return self.with_transport(config)

    def with_transport(self, config):
        return config if self.transport == "auto" else {**config, "runtime": {"transport": self.transport}}

    def check_transport(self, place):
        if self.transport != "auto":
            super().check_transport(place)


def sigmas(launcher=None):
    return [Sigma(transport, launcher) for transport in TRANSPORTS]


def both_forms(launcher=None):
    """The same; where a native binary is named, both it and what this checkout's launcher starts, under names of their own."""
    if not is_native(launcher):
        return sigmas(launcher)
    binaries = sigmas(launcher)
    for each in binaries:
        each.name = each.name.replace("Sigma", NATIVE)
    return [*sigmas(), *binaries]


def is_native(command):
    """Whether a command is a native binary: a program in the machine's own form that is named by its path alone. A JVM with its flags is none."""
    words = shlex.split(command) if command else []
    if len(words) != 1 or not os.path.isfile(words[0]):
        return False
    with open(words[0], "rb") as file:
        return file.read(len(_ELF)) == _ELF


def default_sigmas(launcher=None):
    """The same road with nothing tuned."""
    return [DefaultSigma(transport, launcher, "Sigma defaults") for transport in TRANSPORTS]


def launcher_of(jar):
    """A command that runs that jar as this checkout's launcher runs its own. It has a copy, which no build can change under a run."""
    jar = Path(jar).resolve()
    if not jar.is_file():
        raise LabError(f"--sigma-jar: there is no {jar.name}")
    folder = _JARS_DIR / hashlib.sha256(str(jar).encode()).hexdigest()[:12]
    copy = folder / _JAR
    copy.parent.mkdir(parents=True, exist_ok=True)
    if not copy.exists() or copy.read_bytes() != jar.read_bytes():
        shutil.copyfile(jar, copy)
    shutil.copy2(ROOT_DIR / "sigma", folder / "sigma")
    return shlex.quote(str(folder / "sigma"))


def _which_jar(launcher):
    """What a result says of a jar that was named."""
    copy = launcher.parent / _JAR
    named = launcher.parent.parent == _JARS_DIR and copy.exists()
    return f", a jar named with --sigma-jar, SHA-256 {hashlib.sha256(copy.read_bytes()).hexdigest()[:12]}" if named else ""


def note_jdk(versions, pid):
    """Writes down the version of the JDK that runs a started Sigma, where one does."""
    java = procfs.executable(pid)
    if java.name == "java":
        versions["JDK"] = _jdk_version(java)


def _jdk_version(java):
    result = subprocess.run(
        [str(java), "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
    )
    text = result.stdout.decode(errors="replace")
    found = re.search(r"\(build ([^)]+)\)", text)
    vendor = "Temurin " if "Temurin" in text else ""
    return vendor + found.group(1) if found else "unknown"


def java_of(launcher):
    """The JDK that runs Sigma, which is new enough for the lab's other programs too."""
    result = subprocess.run(
        [*launcher, "version"],
        cwd=ROOT_DIR,
        env={**os.environ, "SIGMA_JAVA_OPTS": "-XshowSettings:properties"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BUILD_TIMEOUT_S,
        check=False,
    )
    found = re.search(r"java\.home = (.+)", result.stdout.decode(errors="replace"))
    if not found:
        raise LabError("`sigma version` does not say which JDK it runs on (expected: java.home among its properties)")
    return f"{found.group(1).strip()}/bin/java"


def sigma_json(port, upstream_port, transport, access_log=None):
    """`/test/*` rewritten to `/*`, one node, and as for the peers, keep-alive without limits; requests wait for one of a few connections."""
    config = {
        "proxy-server": {"http": {"id": "lab", "host": "127.0.0.1", "port": port}},
        "proxy-client": {
            "max-pool-size-per-server": NODE_CONNECTIONS_MAX,
            "max-wait-queue": QUEUE_MAX,
            "idle-timeout": "1h",
        },
        "limits": {"requests-per-connection": FOREVER_REQUESTS},
        "timeouts": {"keep-alive": "1h"},
        "router": [
            {
                "id": "lab",
                "proxy-server-id": "lab",
                "route": [
                    {
                        "id": "test",
                        "path": "/test/*",
                        "proxy-pass-id": "up",
                        "plugin": {"rewrite-path": {"enable": True, "regexp": "^/test", "replacement": ""}},
                    }
                ],
            }
        ],
        "proxy-pass": [{"id": "up", "upstream-id": "up"}],
        "upstream": [
            {
                "id": "up",
                "discovery": "static-config",
                "rule-strategy": "round-robin",
                "nodes": [f"http://127.0.0.1:{upstream_port}"],
            }
        ],
        "runtime": {"transport": transport},
    }
    if access_log:
        config["plugins"] = {"log-config": {"enable": True, "format": "combined", "file": str(access_log)}}
    return config


def plain(config):
    """The same sigma.json with nothing rewritten."""
    route = config["router"][0]["route"][0]
    route["path"] = "/*"
    del route["plugin"]
    return config
