"""nginx with policies: alone, with another way to send files, and with the modules that Debian has beside it."""

import re
import subprocess
from pathlib import Path

from .bench import LAB_DIR
from .nginx import Nginx
from .plugins_cases import ALLOWED, AUDIENCE, CONSUMER, ISSUER, KEY, LEVELS, RATE, RATE_SEEN
from .programs import find_program

LUA = LAB_DIR / "nginx-lua"
ALLOWED_MAP = f"""map $http_origin $shared {{ default ""; "{ALLOWED}" $http_origin; }}"""


class PoliticNginx(Nginx):
    """nginx as it comes: keys are compared as texts."""

    path = "/plain/"
    target = "http://up"
    # Another Server takes the place of the node's.
    departs = ("Server",)

    def __init__(self, files):
        self._files = files

    def takes(self, case):
        return not case.name.startswith(("token", "ten", "br", "zstd"))

    @property
    def settings(self):
        return f"""
        location /key/ {{
            if ($http_x_api_key != "{KEY}") {{ return 401; }}
            proxy_set_header X-Api-Key "";
            proxy_set_header X-Consumer-Id {CONSUMER};{self.passing()}
        }}
        location /forward/ {{ auth_request /who;{self.passing()} }}
        location = /who {{ internal; proxy_pass_request_body off; proxy_set_header Content-Length "";{self.passing()} }}
        location /mirror/ {{ mirror /copy;{self.passing()} }}
        location = /copy {{ internal;{self.passing("http://up$request_uri")} }}
        location /rate/ {{ limit_req zone=all burst=100000 nodelay;{self.passing()} }}
        location /few/ {{ limit_req zone=few burst={RATE_SEEN} nodelay;{self.passing()} }}
        location /cors/ {{
            add_header Access-Control-Allow-Origin $shared always;
            add_header Vary Origin always;{self.passing()}
        }}
        location /headers/ {{
            proxy_set_header X-Env test;
            proxy_set_header X-Of $remote_addr;
            proxy_set_header Cookie "";
            proxy_hide_header Server;
            add_header X-Frame-Options DENY always;{self.passing()}
        }}
        location /redirect/ {{ return 302 https://www.example.com$request_uri; }}
        location /gzip/ {{
            gzip on; gzip_comp_level {LEVELS["gzip"]}; gzip_types application/json; gzip_proxied any; gzip_http_version 1.1;{self.passing()}
        }}
        location /files/ {{ alias {self._files}/; open_file_cache max=16; }}"""

    def http_settings(self):
        zones = "".join(f"\n    limit_req_zone $binary_remote_addr zone={zone}:10m rate={rate}r/s;" for zone, rate in (("all", RATE), ("few", RATE_SEEN)))
        return f"{ALLOWED_MAP}\n    limit_req_status 429;{zones}"


class NopushNginx(PoliticNginx):
    """Heads of files leave in one packet with what follows them."""

    name = "nginx tcp_nopush"

    def version_key(self):
        return Nginx.name

    def takes(self, case):
        return case.name.startswith("file")

    def http_settings(self):
        return f"{super().http_settings()}\n    tcp_nopush on;"


class WithModules(Nginx):
    """nginx with modules of Debian's packages."""

    path = "/plain/"
    target = "http://up"
    departs = ()
    # Their files, and further ones that have to be there; and the packages.
    files = ()
    libraries = ()
    packages = ""

    def version_key(self):
        return Nginx.name

    def missing(self):
        if super().missing():
            return super().missing()
        absent = [each for each in (*self.modules(), *self.libraries) if not Path(each).exists()]
        return f"{Path(absent[0]).name} is missing (Debian packages {self.packages})" if absent else None

    def modules(self):
        program = find_program("nginx")
        said = subprocess.run([program, "-V"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False).stdout
        folder = re.search(r"--modules-path=(\S+)", said.decode(errors="replace"))
        return [f"{folder.group(1) if folder else '/usr/lib/nginx/modules'}/{name}" for name in self.files]


class LuaNginx(WithModules):
    """Tokens, verified by `lab/nginx-lua`: what OpenResty is made of, as far as Debian has it."""

    name = "nginx Lua"
    files = ("ndk_http_module.so", "ngx_http_lua_module.so")
    libraries = tuple(f"/usr/share/lua/5.1/{name}.lua" for name in ("resty/core", "resty/lrucache", "openssl/pkey", "cjson/util"))
    packages = "libnginx-mod-http-lua lua-luaossl lua-cjson"

    def __init__(self, issuers):
        self._issuers = issuers

    def takes(self, case):
        return case.name.startswith("token")

    @property
    def settings(self):
        return "".join(
            f"""
        location {root} {{
            set $consumer "";
            access_by_lua_block {{ ngx.var.consumer = token.{verify}() }}
            proxy_set_header X-Consumer-Id $consumer;{self.passing()}
        }}"""
            for root, verify in (("/token/", "kept"), ("/uncached/", "anew"))
        )

    def http_settings(self):
        pems = ", ".join(f"{issuer.algorithm} = [[{issuer.public_pem()}]]" for issuer in self._issuers)
        return f"""
    lua_package_path "{LUA}/?.lua;;";
    init_by_lua_block {{
        token = require "token"
        token.trust({{ {pems} }}, "{ISSUER}", "{AUDIENCE}")
    }}"""


class BrotliNginx(WithModules):
    """brotli."""

    name = "nginx brotli"
    files = ("ngx_http_brotli_filter_module.so",)
    packages = "libnginx-mod-http-brotli-filter"

    def takes(self, case):
        return case.name.startswith("br ")

    @property
    def settings(self):
        return f"""
        location /br/ {{
            brotli on; brotli_comp_level {LEVELS["br"]}; brotli_types application/json;{self.passing()}
        }}"""
