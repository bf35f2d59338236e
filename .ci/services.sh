#!/usr/bin/env bash
# Installs what tests start for themselves, from Debian's packages: PostgreSQL, Redis, supysonic, Prometheus, Chromium,
# the proxies of docs/operations/proxies.md, ffmpeg, mpv, and for .ci/firefox.js Firefox with a sound output. What is
# there already is left alone.
set -euo pipefail

missing=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' > /dev/null || missing+=(postgresql)
command -v redis-server > /dev/null || missing+=(redis-server)
command -v sqlite3 > /dev/null || missing+=(sqlite3)
{ command -v supysonic-server && /usr/bin/python3 -c 'import waitress'; } > /dev/null 2>&1 || missing+=(supysonic python3-waitress)
command -v promtool > /dev/null || missing+=(prometheus)
command -v chromium-headless-shell > /dev/null || missing+=(chromium-headless-shell)
for server in apache2 caddy haproxy; do
  [ -x "/usr/sbin/$server" ] || command -v "$server" > /dev/null || missing+=("$server")
done
[ -x /usr/sbin/varnishd ] || missing+=(varnish)
[ -x /usr/sbin/nginx ] || missing+=(nginx-light)
command -v systemd-analyze > /dev/null || missing+=(systemd)
command -v firefox-esr > /dev/null || missing+=(firefox-esr)
command -v pulseaudio > /dev/null || missing+=(pulseaudio)
command -v ffmpeg > /dev/null || missing+=(ffmpeg)
command -v mpv > /dev/null || missing+=(mpv)
[ ${#missing[@]} = 0 ] && exit

as_root=$([ "$(id -u)" = 0 ] || echo sudo)
$as_root apt-get update --quiet
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends "${missing[@]}"
