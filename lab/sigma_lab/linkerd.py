"""linkerd2-proxy as a gateway: alone, as the sidecar of the upstream, with just enough of a control plane that it starts."""

import os
import re
import subprocess
from pathlib import Path

from . import verify
from .built import built, go_built
from .gateway_peers import BUILT, SOURCES
from .programs import Place

IDENTITY = "lab.lab.serviceaccount.identity.linkerd.cluster.local"


class Linkerd:
    """Takes connections as inbound traffic of the upstream's port. It is for inbound traffic that a sidecar does least: no discovery, no balancing."""

    name = "Linkerd"
    workers = 1
    _control = BUILT / "linkerd" / "control"
    _meant = BUILT / "linkerd" / "original_dst.so"

    def __init__(self, program=None):
        self._program = program
        self._planes = {}

    def version_key(self):
        return self.name

    def missing(self):
        if not self._program:
            return "linkerd2-proxy is published as an image only; build it from its source, and name it with --linkerd"
        if not os.access(self._program, os.X_OK):
            return f"--linkerd: {Path(self._program).name} can't be run"
        source = SOURCES / "linkerd" / "original-dst"
        words = ["-O2", "-shared", "-fPIC", "-o", self._meant, source / "original_dst.c", "-ldl"]
        return go_built(self.name, SOURCES / "linkerd", self._control) or built(self.name, "cc", words, source, self._meant)

    def version(self):
        """What it says of itself where it is told nothing else, and so ends."""
        said = subprocess.run(
            [self._program], env={"LINKERD2_PROXY_LOG": "info"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
        ).stdout.decode(errors="replace")
        found = re.search(r"\S+ (\S+ \(\w+\)) by ", said)
        return f"linkerd2-proxy {found.group(1) if found else 'unknown'}"

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        control, folder = self._control_plane(bench)
        environment = {
            **{f"LINKERD2_PROXY_{kind}_LISTEN_ADDR": f"127.0.0.1:{bench.free_port()}" for kind in ("OUTBOUND", "CONTROL", "ADMIN")},
            **{f"LINKERD2_PROXY_{kind}_SVC_ADDR": f"127.0.0.1:{control}" for kind in ("DESTINATION", "POLICY", "IDENTITY")},
            "LINKERD2_PROXY_INBOUND_LISTEN_ADDR": f"127.0.0.1:{port}",
            "LINKERD2_PROXY_INBOUND_PORTS": str(upstream_port),
            "LINKERD2_PROXY_INBOUND_DEFAULT_POLICY": "all-unauthenticated",
            "LINKERD2_PROXY_POLICY_WORKLOAD": "lab",
            "LINKERD2_PROXY_IDENTITY_DIR": str(folder),
            "LINKERD2_PROXY_IDENTITY_TOKEN_FILE": str(folder / "token"),
            "LINKERD2_PROXY_IDENTITY_TRUST_ANCHORS": (folder / "anchors.pem").read_text(),
            "LINKERD2_PROXY_IDENTITY_LOCAL_NAME": IDENTITY,
            "LINKERD2_PROXY_CORES": str(self.workers),
            "LINKERD2_PROXY_LOG": "error",
            "LINKERD2_PROXY_SHUTDOWN_GRACE_PERIOD": "1s",
            "ORIGINAL_DST_PORT": str(upstream_port),
            "LD_PRELOAD": str(self._meant),
        }
        return Place(self.name, port, bench.start(f"linkerd-{port}", [self._program], bench.proxy_core, environment))

    def _control_plane(self, bench):
        """One for all starts within a bench: its port, and the folder with the proxy's documents."""
        if bench not in self._planes:
            port, folder = bench.free_port(), bench.folder / "linkerd"
            folder.mkdir()
            command = [self._control, "-listen", f"127.0.0.1:{port}", "-folder", folder, "-name", IDENTITY]
            started = bench.start("linkerd-control", command, bench.load_core)
            verify.listening(bench, Place("control plane", port, started))
            self._planes[bench] = port, folder
        return self._planes[bench]
