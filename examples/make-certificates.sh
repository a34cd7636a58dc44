#!/usr/bin/env bash
# Makes what https.json, client-certificate.json, https-nodes.json, http2-and-grpc.json and tls-sessions.json need, in examples/certificates: an authority (ca.crt), a certificate that it issued for localhost, and one for a client. For trying
# things out: keys lie there unprotected. Wants openssl. What is there already is made anew only with --again.
set -eu
cd "$(dirname "$0")"
folder=certificates
if [ -f "$folder/client.crt" ] && [ "${1:-}" != --again ]; then
  exit 0
fi
command -v openssl >/dev/null || { echo "make-certificates.sh: openssl is not here (Debian: openssl)" >&2; exit 1; }
mkdir -p "$folder"
cd "$folder"
umask 077

key() { # name
  openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null ||
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"
}

issue() { # name subject extensions
  key "$1"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  printf '%s\n' "$3" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 365 -sha256 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
  rm -f "$1.csr" "$1.ext"
}

key ca
openssl req -x509 -new -key ca.key -subj "/CN=Sigma examples" -days 365 -sha256 -out ca.crt \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
issue localhost /CN=localhost "subjectAltName=DNS:localhost,DNS:*.localhost,IP:127.0.0.1"
issue client "/CN=somebody" "extendedKeyUsage=clientAuth"
rm -f ca.srl
echo "made: examples/$folder/ca.crt, localhost.crt and .key, client.crt and .key"
