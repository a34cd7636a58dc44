"""Tokens to measure with, made by OpenSSL's command."""

import base64
import json
import subprocess
import time

from .programs import find_program


class RsaIssuer:
    """Issues tokens that are signed with RS256."""

    def __init__(self, folder):
        self._key = folder / "issuer.key"
        self._openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self._key)

    def public_pem(self):
        """The key that signatures are verified with."""
        return self._openssl("pkey", "-in", self._key, "-pubout").decode()

    def jwks(self):
        """The same as a JWK Set."""
        line = self._openssl("rsa", "-in", self._key, "-noout", "-modulus").decode().strip()
        modulus = bytes.fromhex(line.split("=")[1])
        return {"keys": [{"kty": "RSA", "alg": "RS256", "use": "sig", "n": _encoded(modulus), "e": "AQAB"}]}

    def token(self, issuer, audience):
        """One that is good for a day."""
        claims = {"iss": issuer, "aud": audience, "sub": "ada", "exp": int(time.time()) + 86_400}
        signed = f"{_encoded(json.dumps({'alg': 'RS256'}).encode())}.{_encoded(json.dumps(claims).encode())}"
        return f"{signed}.{_encoded(self._openssl('dgst', '-sha256', '-sign', self._key, given=signed.encode()))}"

    def _openssl(self, *words, given=b""):
        command = [find_program("openssl"), *map(str, words)]
        return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=True).stdout


def _encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
