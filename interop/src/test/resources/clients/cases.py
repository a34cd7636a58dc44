"""What the clients of Python have in common: cases, each told as a line of JSON."""

import asyncio
import hashlib
import json
import os
import ssl
import sys

wire, url = sys.argv[1], sys.argv[2]
run_id = str(os.getpid())
cookie = "big=" + "x" * 6144 + "; a=1; b=2; c=3"
body = os.urandom(1 << 20)
DEADLINE_SECONDS = 20
CASES = ["json", "echo", "empty", "missing", "events", "many", "head", "cookies", "trailers"]


def trust():
    return ssl.create_default_context(cafile=os.environ["SIGMA_CA"])


def same(what, expected, found):
    if expected != found:
        raise AssertionError(f"{what}: {str(found)[:200]} (expected: {str(expected)[:200]})")


def digest(content):
    return hashlib.sha256(content).hexdigest()


def tell(name, ok, said=""):
    said = " ".join(str(said).replace("\\", "/").replace('"', "'").split())
    print(f'{{"case": "{name}", "ok": {json.dumps(ok)}, "said": "{said[:600]}"}}', flush=True)


class Cannot(Exception):
    """The client has no way to do this."""


async def try_all(cases, names=CASES):
    for name in names:
        try:
            await asyncio.wait_for(cases[name](), DEADLINE_SECONDS)
            tell(name, True)
        except Cannot as e:
            tell(name, None, e)
        except Exception as e:  # whatever it is, it is this case's outcome
            tell(name, False, repr(e))
