#!/usr/bin/env bash
# The cases over nghttp, which speaks HTTP/2 only: bash nghttp.sh WIRE URL
. "$(dirname "$0")/cases.sh"
ask() { timeout 20 nghttp -y "$@"; }
field() { # name; of what nghttp -v said
  sed -n "s/.*recv (stream_id=[0-9]*) $1: //p" "$folder/said" | tail -n 1
}

json() {
  ask -nv "$url/json" >"$folder/said" && is status 200 "$(field :status)" && is type application/json "$(field content-type)" &&
    is body '{"name": "sigma"}' "$(ask "$url/json")"
}
echoed() { is hash "$(sum <"$folder/body")" "$(ask -d "$folder/body" "$url/echo" | sum)"; }
empty() { ask -nv "$url/empty" >"$folder/said" && is status 204 "$(field :status)" && is body "" "$(ask "$url/empty")"; }
missing() { ask -nv "$url/missing" >"$folder/said" && is status 404 "$(field :status)" && is body missing "$(ask "$url/missing")"; }
many() { is answers 50 "$(ask -ns -m 50 "$url/gather/$run_id" | grep -c ' 200 ')"; }
head_only() {
  ask -v -H ':method: HEAD' "$url/json" >"$folder/said" && is status 200 "$(field :status)" && is length 17 "$(field content-length)" &&
    is data 0 "$(grep -c 'recv DATA frame <length=[1-9]' "$folder/said")"
}
cookies() {
  ask -nv -H "cookie: $cookie" "$url/cookies" >"$folder/said" && is set-cookie 2 "$(grep -c 'recv (.*) set-cookie: ' "$folder/said")" &&
    is cookie "$(printf '1\n%s' "$cookie")" "$(ask -H "cookie: $cookie" "$url/cookies")" &&
    is crumbs "$(printf '1\na=1; b=2; c=3')" "$(ask -H 'cookie: a=1' -H 'cookie: b=2' -H 'cookie: c=3' "$url/cookies")"
}
trailers() { ask -nv -H 'te: trailers' "$url/trailers" >"$folder/said" && is trailer 1234 "$(field x-checksum)"; }

try json json
try echo echoed
try empty empty
try missing missing
cannot events "nghttp keeps back what it prints"
try many many
try head head_only
try cookies cookies
try trailers trailers
