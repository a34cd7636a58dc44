"""The policies that are measured: what each one's requests look like, and the check that shows that it acts."""

import json
import random
from dataclasses import dataclass, field

from . import plugins_checks as checks

CONNECTIONS = 64
# Few, as each holds a body of megabytes.
FILE_CONNECTIONS = 16
KEY = "of-an-example-0123456789"
KEY_SHA256 = "963754d2670c03adfd1be0ef89006d911cf07c64aa3c61552607d58dbbd626ed"
CONSUMER = "shop"
ALLOWED = "https://www.example.com"
SESSION = "session=of-an-example"
ISSUER, AUDIENCE = "https://id.example.com", "https://api.example.com"
TOKENS = 2_000
FILES = {"1k": 1 << 10, "100k": 100 << 10, "10m": 10 << 20}
JSON_BYTES = 40 << 10
RATE = 1_000_000
# With which it is seen that a limit refuses, on a path of its own.
RATE_SEEN = 5
LEVELS = {"gzip": 6, "br": 4, "zstd": 3}

# Where the upstream writes down what it was asked for, of some paths.
LOG = "copied.log"
# What the upstream answers besides: what it was asked, as text; nothing where it writes it down; and whether a cookie is one of a session, with 200 where
# it is, as Envoy takes nothing else for a yes.
LOCATIONS = f"""
        location ~ /seen$ {{
            return 200 "uri=$request_uri\\nenv=$http_x_env\\nof=$http_x_of\\ncookie=$http_cookie\\nconsumer=$http_x_consumer_id\\nkey=$http_x_api_key";
        }}
        location ~ /copied$ {{
            access_log {LOG} combined;
            return 200;
        }}
        location ^~ /who {{
            if ($http_cookie != "{SESSION}") {{ return 401; }}
            return 200;
        }}"""


@dataclass
class Case:
    """One policy, on the paths below `root`.

    `words` are what wrk is told of its requests, `size` is that of an answer where bytes are what counts, and `apart` who does something else under the
    name: it is shown, and not among those that Sigma is compared with. `check` shows on `checked`, or on the same paths, that the policy acts; on
    those below `without` it has to fail.
    """

    name: str
    root: str
    check: object
    fields: list = field(default_factory=list)
    last: str = "a"
    size: int = None
    connections: int = CONNECTIONS
    words: list = None
    checked: str = None
    without: str = "/plain"
    apart: dict = field(default_factory=dict)

    def __post_init__(self):
        self.path = f"{self.root}/{self.last}"
        self.words = self.words or [f"header:{name}={value}" for name, value in self.fields] or ["plain"]


def cases(issuers, files, folder):
    """All of them; `folder` gets the files of tokens, `files` is the folder of those that are served."""
    found = [
        Case("no policy", "/plain", checks.nothing, without="/headers"),
        Case("key", "/key", checks.key(KEY, CONSUMER), [("X-Api-Key", KEY)]),
        *(_kept_token(issuer) for issuer in issuers),
        *(_new_tokens(issuer, folder) for issuer in issuers),
        Case("forward auth", "/forward", checks.session(SESSION), [("Cookie", SESSION)]),
        Case("rate limit", "/rate", checks.limited, checked="/few"),
        Case("CORS", "/cors", checks.shared(ALLOWED), [("Origin", ALLOWED)]),
        Case("headers", "/headers", checks.edited),
        Case("redirect", "/redirect", checks.redirected(ALLOWED)),
        Case("mirror", "/mirror", checks.mirrored),
        Case("ten plugins", "/ten", checks.ten(KEY, CONSUMER, ALLOWED), [("X-Api-Key", KEY), ("Origin", ALLOWED)]),
        *(_compressed(coding, level) for coding, level in LEVELS.items()),
        Case("file of 1 KiB", "/files", checks.file(files / "1k"), last="1k"),
        Case("file of 100 KiB", "/files", checks.file(files / "100k"), last="100k", size=FILES["100k"]),
    ]
    large = Case("file of 10 MiB", "/files", checks.file(files / "10m"), last="10m", size=FILES["10m"], connections=FILE_CONNECTIONS)
    return [*found, large]


def _kept_token(issuer):
    """The same token in all requests."""
    token = issuer.token(ISSUER, AUDIENCE)
    return Case(f"token, {issuer.algorithm}", "/token", checks.token(token, _refused(issuer)), [("Authorization", f"Bearer {token}")])


def _new_tokens(issuer, folder):
    """Another token in each request, from a file, on a path where none is kept."""
    tokens = [issuer.token(ISSUER, AUDIENCE, jti=str(number)) for number in range(TOKENS)]
    path = folder / f"{issuer.algorithm}.tokens"
    path.write_text("\n".join(tokens) + "\n")
    check = checks.token(tokens[-1], _refused(issuer))
    return Case(f"token, {issuer.algorithm}, not cached", "/uncached", check, words=[f"tokens:{path}"])


def _refused(issuer):
    """Tokens that nobody may let in, by what is wrong with them."""
    good = issuer.token(ISSUER, AUDIENCE)
    head, claims, signature = good.split(".")
    other = issuer.token(ISSUER, AUDIENCE, sub="eve").split(".")[1]
    return {
        "a token of somebody else's claims": f"{head}.{other}.{signature}",
        "a token with another signature": f"{head}.{claims}.{signature[::-1]}",
        "an expired token": issuer.token(ISSUER, AUDIENCE, life_s=-3600),
        "a token for another audience": issuer.token(ISSUER, "https://else.example.com"),
        "a token of another issuer": issuer.token("https://else.example.com", AUDIENCE),
        "no token": None,
    }


def _compressed(coding, level):
    apart = {"HAProxy": "compresses with libslz, which has no levels"} if coding == "gzip" else {}
    return Case(
        f"{coding} {level} of 40 KiB of JSON",
        f"/{coding}",
        checks.compressed(coding, json_of_an_api()),
        [("Accept-Encoding", coding)],
        last="json",
        size=JSON_BYTES,
        connections=FILE_CONNECTIONS,
        apart=apart,
    )


def make_files(folder):
    """The files that are served, in a folder that it makes."""
    folder.mkdir()
    for name, length in FILES.items():
        (folder / name).write_bytes(random.Random(length).randbytes(length))
    return folder


def json_of_an_api():
    """Some 40 KiB of what an API answers: ids, words and numbers."""
    seeded = random.Random(40)
    words = "garden tool spade rake green steel handle long short light heavy price stock shelf order".split()
    rows = []
    while len(json.dumps(rows)) < JSON_BYTES - 300:
        text = " ".join(seeded.choices(words, k=8))
        rows.append({"id": seeded.getrandbits(48), "name": text, "price": seeded.randint(100, 99_999) / 100, "stock": seeded.randint(0, 500)})
    return json.dumps(rows).encode().ljust(JSON_BYTES)
