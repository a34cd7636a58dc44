"""Tokens to measure with, signed by OpenSSL: its command makes the keys, its library the signatures, as there are thousands."""

import base64
import ctypes
import ctypes.util
import json
import subprocess
import time

from .bench import LabError
from .programs import find_program

DAY_S = 86_400
_SIGNATURE_MAX = 1024


class Issuer:
    """Issues tokens that are signed with one algorithm."""

    algorithm = ""

    def __init__(self, folder, *kind):
        self._key = folder / f"{self.algorithm}.key"
        self._openssl("genpkey", *kind, "-out", self._key)
        self._signer = _Signer(self._key.read_bytes())

    def public_pem(self):
        """The key that signatures are verified with."""
        return self._openssl("pkey", "-in", self._key, "-pubout").decode()

    def jwk(self):
        """The same as a JWK."""
        raise NotImplementedError

    def token(self, issuer, audience, life_s=DAY_S, **more):
        """One that is good for a day, or for another time; `more` are further claims."""
        claims = {"iss": issuer, "aud": audience, "sub": "ada", "exp": int(time.time()) + life_s, **more}
        signed = f"{_encoded(json.dumps({'alg': self.algorithm}).encode())}.{_encoded(json.dumps(claims).encode())}"
        return f"{signed}.{_encoded(self._signature(signed.encode()))}"

    def _signature(self, signed):
        return self._signer.sign(signed)

    def _openssl(self, *words):
        command = [find_program("openssl"), *map(str, words)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=True).stdout


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


class _Signer:
    """Signs with SHA-256 and one key, by libcrypto: a process for each of thousands of signatures would take minutes."""

    def __init__(self, pem):
        name = ctypes.util.find_library("crypto")
        if not name:
            raise LabError("libcrypto is missing, which signs tokens (Debian package libssl3)")
        self._crypto = ctypes.CDLL(name)
        source = self._pointer("BIO_new_mem_buf", pem, len(pem))
        self._key = self._pointer("PEM_read_bio_PrivateKey", source, None, None, None)
        self._digest = self._pointer("EVP_sha256")

    def sign(self, octets):
        """The signature, as OpenSSL writes it."""
        context = self._pointer("EVP_MD_CTX_new")
        signature, length = ctypes.create_string_buffer(_SIGNATURE_MAX), ctypes.c_size_t(_SIGNATURE_MAX)
        try:
            self._call("EVP_DigestSignInit", context, None, self._digest, None, self._key)
            self._call("EVP_DigestSign", context, signature, ctypes.byref(length), octets, ctypes.c_size_t(len(octets)))
            return signature.raw[: length.value]
        finally:
            self._crypto.EVP_MD_CTX_free(context)

    def _pointer(self, name, *arguments):
        function = self._crypto[name]
        function.restype = ctypes.c_void_p
        found = function(*arguments)
        if not found:
            raise LabError(f"libcrypto: {name} failed")
        return ctypes.c_void_p(found)

    def _call(self, name, *arguments):
        if self._crypto[name](*arguments) != 1:
            raise LabError(f"libcrypto: {name} failed")


def _encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
