#!/usr/bin/env bash
# Makes a new source with the packed package, installs it, runs its tests, builds and starts it, and asks it for a track.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT

# Packs what has been built: others use it meanwhile.
tarball=$work/$(npm pack --silent --ignore-scripts --pack-destination "$work" | tail -1)
cd "$work"
npm exec --yes --package="$tarball" -- fastify-source-origin new my-source --yes
cd my-source
# This version may not be published yet.
npm pkg set "dependencies.fastify-source-origin=file:$tarball"
npm install --no-audit --no-fund
npm test
npm run build

SOURCE_API_TOKEN=choose-one PORT=0 node dist/server.js > "$work/log" & server=$!
for _ in $(seq 100); do
  link=$(grep -o 'http://[^/]*/#token=choose-one' "$work/log") && break
  kill -0 "$server"
  sleep 0.1
done
origin=${link%/#*}
curl --fail --silent --show-error -H 'Authorization: choose-one' "$origin/v1/search/tracks?keyword=rising" | grep -q '"title":"Rising Scale"'
curl --fail --silent --show-error "$origin/" | grep -q '<title>'
curl --fail --silent --show-error "$origin/demo/rising.wav" --output "$work/rising.wav"
kill "$server"
wait "$server"
server=
echo 'A new source: installed, tested, built, started and stopped'
