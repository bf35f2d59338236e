#!/usr/bin/env bash
# Installs what tests start for themselves, from Debian's packages: PostgreSQL, Redis, supysonic, Prometheus, Chromium,
# and for .ci/firefox.js Firefox with a sound output. What is there already is left alone.
set -euo pipefail

missing=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' > /dev/null || missing+=(postgresql)
command -v redis-server > /dev/null || missing+=(redis-server)
command -v supysonic-daemon > /dev/null || missing+=(supysonic python3-waitress)
command -v promtool > /dev/null || missing+=(prometheus)
command -v chromium > /dev/null || missing+=(chromium)
command -v firefox-esr > /dev/null || missing+=(firefox-esr)
command -v pulseaudio > /dev/null || missing+=(pulseaudio)
[ ${#missing[@]} = 0 ] && exit

as_root=$([ "$(id -u)" = 0 ] || echo sudo)
$as_root apt-get update --quiet
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends "${missing[@]}"
