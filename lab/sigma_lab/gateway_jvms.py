"""The JVM's gateways: small programs in lab/gateways with pinned versions, built by Maven, on the JDK that runs Sigma."""

import hashlib
import signal
import subprocess

from . import load
from .bench import LabError
from .built import maven_built
from .client import answers
from .gateway_peers import BUILT, SOURCES
from .programs import Place
from .sigma import Sigma, is_native, java_of
from .verify import UPSTREAM_PATH

# Of 1 GiB: the rest is for what is not heap.
JVM = (
    "-Xms128m -Xmx512m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders -XX:-UsePerfData "
    "--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
).split()
TRAINING_REQUESTS = 20_000
TRAINING_CONNECTIONS = 50
TRAINING_TIMEOUT_S = 180


class JvmGateway:
    """One of them, with an AOT cache, as Sigma's launcher makes itself one: trained once, under a load."""

    workers = 1
    # What it wants of the JVM besides, and its own words.
    options = ()

    def __init__(self, launcher=None):
        # A native binary has no JDK: that of this checkout's launcher then.
        self._launcher = None if is_native(launcher) else launcher
        self._java = None
        self._folder = BUILT / self.artifact

    def version_key(self):
        return self.name

    def missing(self):
        return maven_built(self.name, SOURCES / self.artifact, self._folder / "gateway.jar", SOURCES / "pom.xml")

    def version(self):
        """Of what it is named after, by the jar that it runs with."""
        self._java = self._java or java_of(Sigma("epoll", self._launcher).launcher)
        for path in (self._folder / "lib").glob(f"{self.library}-[0-9]*.jar"):
            return f"({path.stem})"
        raise LabError(f"{self.name} was built without {self.library}")

    def words(self, port, upstream_port):
        """What its program is told."""
        return [port, upstream_port, self.workers]

    def start(self, bench, upstream_port, access_log=False, cache=None):
        port = bench.free_port()
        # A cache that doesn't fit ends the start, rather than being done without.
        cache = cache or [f"-XX:AOTCache={self._cache()}", "-XX:AOTMode=on"]
        command = [self._java, *JVM, f"-XX:ActiveProcessorCount={self.workers}", *cache, *self.options, "-jar", self._folder / "gateway.jar"]
        name = f"{self.artifact}-{port}"
        return Place(self.name, port, bench.start(name, [*command, *self.words(port, upstream_port)], bench.proxy_core))

    def _cache(self):
        """Of this JDK and these flags."""
        of = hashlib.sha256(" ".join([str(self._java), *JVM]).encode()).hexdigest()[:12]
        return self._folder / f"gateway-{of}.aot"

    def train(self, bench, upstream_port):
        """Makes its AOT cache where there is none, or one that is older than the program."""
        cache = self._cache()
        if cache.exists() and cache.stat().st_mtime > (self._folder / "gateway.jar").stat().st_mtime:
            return
        print(f"training {self.name} (once)", flush=True)
        place = self.start(bench, upstream_port, cache=[f"-XX:AOTCacheOutput={cache}"])
        try:
            bench.await_true(place.started, lambda: answers(place.port, UPSTREAM_PATH), "answering with 200", TRAINING_TIMEOUT_S)
            load.ab(bench, place.url(UPSTREAM_PATH), TRAINING_REQUESTS, TRAINING_CONNECTIONS)
            place.started.popen.send_signal(signal.SIGTERM)
            try:
                place.started.popen.wait(TRAINING_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                pass
        finally:
            bench.stop(place.started)
        if not cache.exists():
            raise LabError(f"{self.name}: the JVM made no AOT cache\n{place.started.log_tail()}")


class Undertow(JvmGateway):
    name = "Undertow"
    artifact = "undertow"
    library = "undertow-core"


class Zuul2(JvmGateway):
    """With a route and no Eureka: its core, with what its own sample needs around it."""

    name = "Zuul 2"
    artifact = "zuul-2"
    library = "zuul-core"


class SpringGateway(JvmGateway):
    """One that Spring Boot starts."""

    def words(self, port, upstream_port):
        return [f"--server.port={port}", f"--node.port={upstream_port}"]


class Zuul1(SpringGateway):
    """In Spring Cloud's starter, with Tomcat: what the study used, and how most had it. Its last release runs on today's JDK, too."""

    name = "Zuul 1"
    artifact = "zuul-1"
    library = "zuul-core"


class SpringCloudGateway(SpringGateway):
    name = "Spring Cloud Gateway"
    artifact = "spring-cloud-gateway"
    library = "spring-cloud-gateway-server"

    @property
    def options(self):
        return [f"-Dreactor.netty.ioWorkerCount={self.workers}"]
