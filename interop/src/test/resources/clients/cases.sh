# What curl.sh and nghttp.sh have in common: cases, each told as a line of JSON. $1 is the wire, $2 the address; SIGMA_CA is the certificate to trust.
set -u
wire=$1
url=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run_id=$$

wrong() { # what
  printf '%s' "$1" >"$folder/wrong"
  return 1
}

is() { # what expected found
  [ "$2" = "$3" ] || wrong "$1: ${3:0:200} (expected: ${2:0:200})"
}

try() { # case function
  rm -f "$folder/wrong"
  if "$2" 2>"$folder/stderr"; then
    printf '{"case": "%s", "ok": true, "said": ""}\n' "$1"
  else
    printf '{"case": "%s", "ok": false, "said": "%s"}\n' "$1" "$(cat "$folder/wrong" "$folder/stderr" 2>/dev/null | tr -d '"\\' | tr '\n\r\t' '   ' | head -c 600)"
  fi
}

cannot() { # case why
  printf '{"case": "%s", "ok": null, "said": "%s"}\n' "$1" "$2"
}

cookie="big=$(head -c 6144 /dev/zero | tr '\0' x); a=1; b=2; c=3"
head -c 1048576 /dev/urandom >"$folder/body"
sum() { sha256sum | cut -d ' ' -f 1; }
