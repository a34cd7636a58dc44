"""nginx, twice: as the upstream of every experiment, and as the proxy that all others are compared with."""

import os
import pwd

from .bench import LabError
from .client import Connection, answers
from .programs import Place, find_program, first_line

BODY = b'{"code":200,"msg":"success","data":null}'
LARGE_BODIES = {"64k": 64 << 10, "1m": 1 << 20}
CONNECTIONS_MAX = 9_500
POOL_MAX = 2_048
# What those that let requests wait may open to the upstream. nginx can't: beyond a bound it answers 502.
NODE_CONNECTIONS_MAX = 64
FOREVER_REQUESTS = 1_000_000_000


class Upstream:
    """An nginx on the load's core that answers from memory, and counts the connections it accepts."""

    def __init__(self, bench, h2c=False, files=None, locations=""):
        """`files` are further answers, by the last word of the path, and `locations` what else its server has. With `h2c` it has a second port, which
        speaks HTTP/2 without TLS, and `h2c` is its place there."""
        port = bench.free_port()
        h2c_port = bench.free_port() if h2c else None
        folder = bench.folder / "upstream"
        (folder / "www").mkdir(parents=True)
        for name, length in LARGE_BODIES.items():
            (folder / "www" / name).write_bytes(b"x" * length)
        files = files or {}
        for name, content in files.items():
            (folder / "www" / name).write_bytes(content)
        server = f"""
    open_file_cache max=16;
    default_type application/json;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        {f"listen 127.0.0.1:{h2c_port} http2 backlog=4096;" if h2c else ""}
        root www;
        location / {{ return 200 '{BODY.decode()}'; }}
        location /test/ {{ return 500; }}
        location /echo/ {{ return 200 $request_uri; }}
        location = /accepted {{ stub_status; }}
        {" ".join(f"location = /{name} {{ }}" for name in LARGE_BODIES)}
        {" ".join(f"location ~ /{name}$ {{ rewrite ^ /{name} break; }}" for name in files)}
        {locations}
    }}"""
        # Holds the connections of every proxy's pool at once.
        config = nginx_config(server, connections=16_384, access_log="off")
        self.place = Place("direct", port, start_nginx(bench, "upstream", folder, config, bench.load_core))
        self.h2c = Place("direct", h2c_port, self.place.started) if h2c else None
        bench.await_true(self.place.started, lambda: answers(port, "/"), "answering")
        self._counting = None

    def accepted(self):
        """Connections accepted since the start."""
        return self._counts()[0]

    def answered(self):
        """Requests since the start, with those that ask for counts."""
        return self._counts()[2]

    def _counts(self):
        if self._counting is None:
            self._counting = Connection(self.place.port)
        text = self._counting.get("/accepted").body.decode()
        return [int(word) for word in text.split("requests")[1].split()[:3]]


class Nginx:
    name = "nginx"
    workers = 1

    def version_key(self):
        return self.name

    def missing(self):
        return None if find_program("nginx") else "nginx is not installed (Debian package nginx)"

    def version(self):
        return first_line(["nginx", "-v"]).replace("nginx version: ", "")

    # What it adds to the address that it listens on, what else its server has, which paths it takes and where they lead.
    listening = "backlog=4096"
    settings = ""
    path = "/test/"
    target = "http://up/"

    def http_settings(self):
        """What stands beside its server."""
        return ""

    def modules(self):
        """The modules that it loads, by their files."""
        return ()

    def passing(self, target=None):
        """How requests are passed on, to another target where one is given."""
        return f"""
            proxy_pass {target or self.target};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_max_temp_file_size 0;
            proxy_buffers 16 64k;"""

    def start(self, bench, upstream_port, access_log=False):
        port = bench.free_port()
        folder = bench.folder / f"nginx-{port}"
        folder.mkdir()
        server = f"""
    {self.http_settings()}
    upstream up {{
        server 127.0.0.1:{upstream_port};
        keepalive {POOL_MAX};
        keepalive_requests {FOREVER_REQUESTS};
        keepalive_timeout 1h;
    }}
    server {{
        listen 127.0.0.1:{port} {self.listening};
        {self.settings}
        location {self.path} {{{self.passing()}
        }}
    }}"""
        log = "access.log combined buffer=64k flush=1s" if access_log else "off"
        # Two connections a client: its own and the upstream's.
        config = nginx_config(server, connections=CONNECTIONS_MAX + POOL_MAX, access_log=log, workers=self.workers)
        config = "".join(f"load_module {module};\n" for module in self.modules()) + config
        return Place(self.name, port, start_nginx(bench, f"nginx-{port}", folder, config, bench.proxy_core))


def nginx_config(http, connections, access_log, workers=1):
    """A whole configuration around the content of its http block."""
    temp_paths = "".join(f"    {kind}_temp_path temp-{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return f"""{main_config(connections, workers)}
http {{
    access_log {access_log};
    sendfile on;
    tcp_nodelay on;
    keepalive_requests {FOREVER_REQUESTS};
    keepalive_timeout 1h;
{temp_paths}{http}
}}
"""


def main_config(connections, workers=1):
    """What every nginx of the lab begins with: in the foreground, mostly with one worker."""
    # Without it, workers started by root run as another user, who can't read the work folder.
    user = f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else ""
    return f"""{user}
daemon off;
worker_processes {workers};
worker_rlimit_nofile 20000;
pid nginx.pid;
error_log stderr error;
events {{
    worker_connections {connections};
    multi_accept on;
    use epoll;
}}"""


def start_nginx(bench, name, folder, config, core):
    program = find_program("nginx")
    if not program:
        raise LabError("nginx is not installed; it is the upstream of every experiment (Debian package nginx)")
    (folder / "nginx.conf").write_text(config)
    return bench.start(name, [program, "-p", folder, "-c", "nginx.conf", "-e", "stderr"], core)
