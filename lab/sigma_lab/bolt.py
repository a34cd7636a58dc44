"""Bolt's upstream and load: a server of SOFABolt that echoes, and callers with SOFABolt's own client, pipelined over a few connections."""

import json
import re
import socket
import subprocess

from .bench import ROOT_DIR, LabError
from .programs import Place, find_program
from .sigma import Sigma, java_of

CONNECTIONS = 8
PAYLOAD_BYTES = 1_024
BUILD_TIMEOUT_S = 900
ANSWER_TIMEOUT_S = 30
# What the module itself gives them; and as the lab wants it, memory that doesn't grow in the middle of a run.
JVM = (
    "-Xms256m -Xmx256m -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow "
    "--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED "
    "-Dsofa.middleware.log.internal.level=ERROR"
).split()
_PACKAGE = "net.oooops.sigma.interop"


class Programs:
    """The programs of the module `interop`, built where they are older than their sources."""

    def __init__(self, launcher=None):
        self._classpath = _classpath()
        self._java = java_of(Sigma("epoll", launcher).launcher)
        self.version = "sofa-bolt " + re.search(r"/bolt-([\d.]+)\.jar", self._classpath).group(1)

    def command(self, name, *words):
        return [self._java, *JVM, "-cp", self._classpath, f"{_PACKAGE}.{name}", *words]


class Echo:
    """The upstream: SOFABolt's server on the load's core."""

    def __init__(self, bench, programs):
        port = bench.free_port()
        started = bench.start("bolt-echo", programs.command("BoltNode", port), bench.load_core)
        self.place = Place("direct", port, started)
        bench.await_true(started, lambda: "ready" in started.log_path.read_text(), "listening")


class Load:
    """One JVM that runs all loads, so that none is measured with a client that is still being compiled. Ends with the bench."""

    def __init__(self, bench, programs):
        port = bench.free_port()
        started = bench.start("bolt-load", programs.command("BoltLoads", port), bench.load_core)
        self._place = Place("load", port, started)
        self._socket = None
        bench.await_true(started, self._connected, "listening")
        self._answers = self._socket.makefile("r")

    def ask(self, port, callers, seconds):
        """Begins a load, which goes on by itself."""
        self._socket.settimeout(seconds + ANSWER_TIMEOUT_S)
        self._socket.sendall(f"{port} {CONNECTIONS} {callers} {PAYLOAD_BYTES} {seconds}\n".encode())

    def answer(self):
        """Waits for the end of the load that was begun; what came of it, with the keys that `load.wrk` returns."""
        try:
            line = self._answers.readline()
        except socket.timeout:
            raise LabError(f"the load of Bolt did not end\n{self._place.started.log_tail()}") from None
        if not line:
            raise LabError(f"the load of Bolt ended\n{self._place.started.log_tail()}")
        result = json.loads(line)
        if result["requests"] == 0:
            raise LabError(f"none of Bolt's calls was answered: {result['errors']}")
        result["rps"] = result["requests"] * 1e6 / result["duration_us"]
        return result

    def _connected(self):
        try:
            self._socket = socket.create_connection(("127.0.0.1", self._place.port), 5)
            return True
        except OSError:
            return False


def _classpath():
    path = ROOT_DIR / "interop" / "target" / "classpath"
    sources = [ROOT_DIR / "interop" / "pom.xml", *(ROOT_DIR / "interop" / "src" / "main").rglob("*.java")]
    if not path.exists() or any(source.stat().st_mtime > path.stat().st_mtime for source in sources):
        mvn = find_program("mvn")
        if not mvn:
            raise LabError("the programs of Bolt have to be built, and Maven is not installed")
        print("building the programs of Bolt (once)", flush=True)
        command = [mvn, "-B", "-q", "-Pmore", "-Dprograms", "-Dgates.skip", "-Dmaven.test.skip=true", "-pl", "interop", "-am", "package"]
        result = subprocess.run(
            command, cwd=ROOT_DIR, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUILD_TIMEOUT_S, check=False
        )
        if result.returncode != 0 or not path.exists():
            lines = result.stdout.decode(errors="replace").strip().splitlines()
            raise LabError("the programs of Bolt could not be built\n" + "\n".join(lines[-12:]))
    return path.read_text().strip()
