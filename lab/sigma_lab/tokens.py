"""Tokens to measure with, made by OpenSSL's command."""

import base64
import json
import subprocess
import time

from .programs import find_program


class Issuer:
    """Issues tokens that are signed with one algorithm."""

    algorithm = ""

    def __init__(self, folder, *kind):
        self._key = folder / f"{self.algorithm}.key"
        self._openssl("genpkey", *kind, "-out", self._key)

    def public_pem(self):
        """The key that signatures are verified with."""
        return self._openssl("pkey", "-in", self._key, "-pubout").decode()

    def jwk(self):
        """The same as a JWK."""
        raise NotImplementedError

    def _signature(self, signed):
        return self._openssl("dgst", "-sha256", "-sign", self._key, given=signed)

    def token(self, issuer, audience):
        """One that is good for a day."""
        claims = {"iss": issuer, "aud": audience, "sub": "ada", "exp": int(time.time()) + 86_400}
        signed = f"{_encoded(json.dumps({'alg': self.algorithm}).encode())}.{_encoded(json.dumps(claims).encode())}"
        return f"{signed}.{_encoded(self._signature(signed.encode()))}"

    def _openssl(self, *words, given=b""):
        command = [find_program("openssl"), *map(str, words)]
        return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=True).stdout


class RsaIssuer(Issuer):
    """With RS256."""

    algorithm = "RS256"

    def __init__(self, folder):
        super().__init__(folder, "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")

    def jwk(self):
        line = self._openssl("rsa", "-in", self._key, "-noout", "-modulus").decode().strip()
        modulus = bytes.fromhex(line.split("=")[1])
        return {"kty": "RSA", "alg": "RS256", "use": "sig", "n": _encoded(modulus), "e": "AQAB"}


class EcIssuer(Issuer):
    """With ES256."""

    algorithm = "ES256"

    def __init__(self, folder):
        super().__init__(folder, "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")

    def jwk(self):
        point = self._openssl("pkey", "-in", self._key, "-pubout", "-outform", "DER")[-64:]
        return {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "x": _encoded(point[:32]), "y": _encoded(point[32:])}

    def _signature(self, signed):
        """Both numbers, each of 32 octets (RFC 7518 section 3.4), in the place of the DER that OpenSSL makes."""
        der = super()._signature(signed)
        r_end = 4 + der[3]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (der[4:r_end], der[r_end + 2 :]))


def _encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
