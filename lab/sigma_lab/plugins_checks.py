"""Whether a policy acts: each check is given an `Asked` and the first word of a path, and raises LabError where it doesn't find what the policy does.

What a peer can't do is among its `departs`, which the page names; such parts are left out for it alone.
"""

import subprocess
import time

from .bench import LabError
from .client import Connection
from .nginx import BODY
from .programs import find_program

ASKED = 50
# What the node shows of what it was asked.
SEEN = ("uri", "env", "of", "cookie", "consumer", "key")
MIRRORED_S = 2.0


class Asked:
    """One started proxy that is asked, with a connection for each question."""

    def __init__(self, place, departs, log):
        self.place = place
        self.departs = departs
        self._log = log
        self._log_from = log.stat().st_size

    def get(self, path, fields=()):
        """The Answer."""
        return self._asked(path, lambda connection: connection.get(path, fields))

    def post(self, path, fields=()):
        """The Answer to a POST of nothing."""
        return self._asked(path, lambda connection: connection.post(path, b"", fields))

    def _asked(self, path, ask):
        try:
            with Connection(self.place.port) as connection:
                return ask(connection)
        except (OSError, ValueError, IndexError) as problem:
            raise LabError(f"{self.place.name}: {path}: {problem}") from None

    def seen(self, root, fields=()):
        """What the node was asked: its uri, and fields by their short names."""
        answer = self.get(f"{root}/seen", fields)
        self.expect("status", answer.status, 200)
        seen = dict(line.partition("=")[::2] for line in answer.body.decode("latin-1").split("\n"))
        self.expect("what the node shows", tuple(seen), SEEN)
        return seen

    def logged(self, path):
        """How often the node was asked for it, among what it writes down: paths that end with `copied`."""
        with open(self._log, encoding="latin-1") as log:
            log.seek(self._log_from)
            return sum(f'"GET {path} HTTP' in line for line in log)

    def refused(self, root, what, fields, statuses=(401,)):
        """Fails where such a request is let in."""
        status = self.get(f"{root}/a", fields).status
        if status not in statuses:
            raise LabError(f"{self.place.name}: {what}: {status} (expected: {' or '.join(map(str, statuses))})")

    def expect(self, what, found, expected):
        if found != expected:
            raise LabError(f"{self.place.name}: {what}: {found!r} (expected: {expected!r})")


def nothing(asked, root):
    """The node's answer, and the path and fields as they came."""
    answer = asked.get(f"{root}/a")
    asked.expect("answer", (answer.status, answer.body), (200, BODY))
    seen = asked.seen(root, [("X-Env", "own"), ("Cookie", "a=b")])
    asked.expect("what the node sees", (seen["uri"], seen["env"], seen["cookie"]), (f"{root}/seen", "own", "a=b"))


def key(known, consumer):
    """Refuses other keys and none; tells the node who it is, and not the key."""

    def check(asked, root):
        asked.refused(root, "another key", [("X-Api-Key", known[:-1] + "x")])
        asked.refused(root, "no key", [])
        seen = asked.seen(root, [("X-Api-Key", known)])
        asked.expect("consumer and key at the node", (seen["consumer"], seen["key"]), (consumer, ""))

    return check


def token(good, bad):
    """Refuses each of the bad ones; tells the node who the good one is of."""

    def check(asked, root):
        for what, wrong in bad.items():
            # Envoy answers 403 to those that are genuine and for others.
            statuses = (401, 403) if "audience" in what else (401,)
            asked.refused(root, what, [("Authorization", f"Bearer {wrong}")] if wrong else [], statuses)
        # Twice: the second may be from a memory of those that were verified.
        for _ in range(2):
            asked.expect("consumer at the node", asked.seen(root, [("Authorization", f"Bearer {good}")])["consumer"], "ada")

    return check


def session(cookie):
    """Lets in whom the asked server lets in."""

    def check(asked, root):
        asked.refused(root, "another cookie", [("Cookie", f"{cookie}-not")])
        asked.refused(root, "no cookie", [])
        asked.expect("path at the node", asked.seen(root, [("Cookie", cookie)])["uri"], f"{root}/seen")

    return check


def limited(asked, root):
    """Refuses some of what one client asks at once, and not all of it."""
    statuses = {asked.get(f"{root}/a").status for _ in range(ASKED)}
    asked.expect(f"statuses of {ASKED} requests at once", sorted(statuses), [200, 429])


def shared(allowed):
    """Answers pages of one origin with its name, others without."""

    def check(asked, root):
        _shared(asked, root, allowed, [])

    return check


def _shared(asked, root, allowed, fields):
    answer = asked.get(f"{root}/a", [*fields, ("Origin", allowed)])
    asked.expect("Access-Control-Allow-Origin", (answer.status, answer.field("Access-Control-Allow-Origin")), (200, allowed))
    asked.expect("Vary has Origin", "origin" in (answer.field("Vary") or "").lower(), True)
    other = asked.get(f"{root}/a", [*fields, ("Origin", "https://else.example.com")])
    asked.expect("Access-Control-Allow-Origin for another page", other.field("Access-Control-Allow-Origin"), None)


def edited(asked, root):
    """Sets and removes fields of requests and answers."""
    _edited(asked, root, [])


def _edited(asked, root, fields):
    seen = asked.seen(root, [*fields, ("Cookie", "a=b"), ("X-Env", "own")])
    asked.expect("fields at the node", (seen["env"], seen["of"], seen["cookie"]), ("test", "127.0.0.1", ""))
    answer = asked.get(f"{root}/a", fields)
    asked.expect("X-Frame-Options", answer.field("X-Frame-Options"), "DENY")
    if "Server" not in asked.departs:
        asked.expect("Server", answer.field("Server"), None)


def redirected(to):
    """Sends the client elsewhere, with path and query."""

    def check(asked, root):
        answer = asked.get(f"{root}/a?b=c")
        asked.expect("where it leads", (answer.status, answer.field("Location")), (302, f"{to}{root}/a?b=c"))

    return check


def mirrored(asked, root):
    """A request reaches the node twice, as it is, and is answered once."""
    path = f"{root}/copied"
    asked.expect("status", asked.get(path).status, 200)
    deadline = time.monotonic() + MIRRORED_S
    while asked.logged(path) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    asked.expect("requests at the node", asked.logged(path), 2)


def ten(known, consumer, allowed):
    """Those of ten plugins whose acts can be told apart."""

    def check(asked, root):
        with_key = [("X-Api-Key", known)]
        key(known, consumer)(asked, root)
        _shared(asked, root, allowed, with_key)
        _edited(asked, root, with_key)
        forged = asked.post(f"{root}/a", [*with_key, ("Origin", "https://else.example.com")])
        asked.expect("status of another page's POST", forged.status, 403)
        answer = asked.get(f"{root}/a", with_key)
        asked.expect("Content-Security-Policy", answer.field("Content-Security-Policy"), "default-src 'self'")

    return check


def compressed(coding, whole):
    """Compressed for those that take it, and the same octets once curl has decoded it; returns how many came."""

    def check(asked, root):
        path = f"{root}/json"
        answer = asked.get(path, [("Accept-Encoding", coding)])
        asked.expect("Content-Encoding", (answer.status, answer.field("Content-Encoding")), (200, coding))
        asked.expect("Content-Encoding where none is taken", asked.get(path).field("Content-Encoding"), None)
        command = [find_program("curl"), "-sS", "--compressed", "--max-time", "10", "-H", f"Accept-Encoding: {coding}", asked.place.url(path)]
        decoded = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        asked.expect("octets once decoded are the same", decoded.stdout == whole, True)
        return {"bytes": len(answer.body)}

    return check


def file(path):
    """The file's octets."""
    whole = path.read_bytes()

    def check(asked, root):
        answer = asked.get(f"{root}/{path.name}")
        asked.expect("status", answer.status, 200)
        asked.expect("octets are the file's", answer.body == whole, True)

    return check
