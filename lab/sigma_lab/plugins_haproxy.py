"""HAProxy with policies: each in a backend of its own, which is found by the first word of the path, so that none costs requests of the others."""

from .peers import HAProxy
from .plugins_cases import ALLOWED, AUDIENCE, CONSUMER, ISSUER, KEY, RATE, RATE_SEEN

# A token is verified each time: it keeps none.
_TAKEN = ("no policy", "key", "token", "rate limit", "CORS", "headers", "redirect", "gzip")


class PoliticHAProxy(HAProxy):
    rule = "use_backend %[path,field(2,/)]"
    departs = ()

    def __init__(self, issuers):
        self._issuers = issuers

    def takes(self, case):
        return case.name.startswith(_TAKEN)

    def backends(self, bench, upstream_port):
        rules = {
            "plain": [],
            "key": [
                f"http-request deny deny_status 401 unless {{ req.hdr(X-Api-Key) -m str {KEY} }}",
                "http-request del-header X-Api-Key",
                f"http-request set-header X-Consumer-Id {CONSUMER}",
            ],
            "token": self._token(bench),
            "uncached": self._token(bench),
            "rate": _limit("rate", RATE),
            "few": _limit("few", RATE_SEEN),
            "cors": [
                f"acl shared var(txn.page) -m str {ALLOWED}",
                "http-request set-var(txn.page) req.hdr(Origin)",
                "http-response set-header Access-Control-Allow-Origin %[var(txn.page)] if shared",
                "http-response add-header Vary Origin",
            ],
            "headers": [
                "http-request set-header X-Env test",
                "http-request set-header X-Of %[src]",
                "http-request del-header Cookie",
                "http-response del-header Server",
                "http-response set-header X-Frame-Options DENY",
            ],
            "redirect": ["http-request redirect prefix https://www.example.com code 302"],
            "gzip": ["compression algo gzip", "compression type application/json"],
        }
        node = self.node(upstream_port)
        return "\n".join(f"backend {name}\n    " + "\n    ".join([*of, node]) for name, of in rules.items())

    def _token(self, bench):
        signed = []
        for issuer in self._issuers:
            pem = bench.folder / f"{issuer.algorithm}.pem"
            pem.write_text(issuer.public_pem())
            signed.append(f'{{ var(txn.alg) -m str {issuer.algorithm} }} {{ var(txn.token),jwt_verify("{issuer.algorithm}","{pem}") -m int 1 }}')
        claim = "var(txn.token),jwt_payload_query"
        return [
            "http-request set-var(txn.token) http_auth_bearer",
            "http-request set-var(txn.alg) var(txn.token),jwt_header_query('$.alg')",
            f"http-request deny deny_status 401 unless {' or '.join(signed)}",
            f"http-request deny deny_status 401 unless {{ {claim}('$.iss') -m str {ISSUER} }} {{ {claim}('$.aud') -m str {AUDIENCE} }}",
            "http-request set-var(txn.now) date()",
            f"http-request deny deny_status 401 unless {{ {claim}('$.exp','int'),sub(txn.now) -m int gt 0 }}",
            f"http-request set-header X-Consumer-Id %[{claim}('$.sub')]",
        ]


def _limit(table, rate):
    """By address, counted in a table of its own."""
    return [
        "stick-table type ip size 100k expire 10s store http_req_rate(1s)",
        f"http-request track-sc0 src table {table}",
        f"http-request deny deny_status 429 if {{ sc_http_req_rate(0) gt {rate} }}",
    ]
