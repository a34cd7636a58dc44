#!/usr/bin/env bash
# The cases over curl: bash curl.sh WIRE URL
. "$(dirname "$0")/cases.sh"
at_once=""
case $wire in
  http1 | http1-tls) how=--http1.1 version=1.1 ;;
  h2c) how=--http2-prior-knowledge version=2 at_once=--parallel-immediate ;; # curl 7 fails with many over one such connection, whatever the server
  h2-tls) how=--http2 version=2 ;;
esac
ask() { curl -sS --noproxy '*' --max-time 20 --cacert "$SIGMA_CA" "$how" "$@"; }
status() { ask -o /dev/null -w '%{http_code} %{http_version}' "$@"; }

json() {
  is version "200 $version" "$(status "$url/json")" && is body '{"name": "sigma"}' "$(ask "$url/json")" &&
    is type application/json "$(ask -o /dev/null -w '%{content_type}' "$url/json")"
}
echoed() { is hash "$(sum <"$folder/body")" "$(ask --data-binary "@$folder/body" "$url/echo" | sum)"; }
empty() { is answer "204 $version 0" "$(ask -w '%{http_code} %{http_version} %{size_download}' "$url/empty")"; }
missing() { is answer "missing 404" "$(ask -w ' %{http_code}' "$url/missing")"; }
events() {
  local answer
  answer=$(ask -N "$url/events/$run_id" | {
    read -r first
    [ "$first" = "data: first" ] && ask "$url/go/$run_id"
    printf '%s ' "$first"
    tr '\n' ' '
  })
  is events "data: first  data: last  " "$answer"
}
many() { is answers 50 "$(ask -Z $at_once --parallel-max 50 -o /dev/null -w '%{http_code}\n' "$url/gather/$run_id?i=[1-50]" | grep -c '^200$')"; }
head_only() { is length "200 17" "$(ask -I -w '%{http_code}' "$url/json" | tr -d '\r' | awk 'tolower($1) == "content-length:" {l = $2} END {print $1, l}')"; }
cookies() {
  is cookie "$(printf '1\n%s' "$cookie")" "$(ask -H "Cookie: $cookie" -D "$folder/head" "$url/cookies")" &&
    is set-cookie 2 "$(grep -ci '^set-cookie:' "$folder/head")"
}
trailers() {
  ask -H 'TE: trailers' -D "$folder/head" -o "$folder/answer" "$url/trailers" &&
    is trailer "x-checksum: 1234" "$(tr -d '\r' <"$folder/head" | tail -n 1 | tr '[:upper:]' '[:lower:]')" &&
    is body "with trailers" "$(cat "$folder/answer")"
}

try json json
try echo echoed
try empty empty
try missing missing
try events events
try many many
try head head_only
try cookies cookies
try trailers trailers
