#!/usr/bin/env bash
# Makes a new source of each template with the packed package, installs it, runs its tests, builds and starts it, and
# asks it for a track. Starts what the compose file of the template upstream starts, by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT

# Packs what has been built: others use it meanwhile.
tarball=$work/$(npm pack --silent --ignore-scripts --pack-destination "$work" | tail -1)

for template in folder upstream; do
  cd "$work"
  npm exec --yes --package="$tarball" -- fastify-source-origin new "$template" --template "$template" --yes
  cd "$template"
  # This version may not be published yet.
  npm pkg set "dependencies.fastify-source-origin=file:$tarball"
  npm install --no-audit --no-fund
  npm test

  PORT=0 node dist/server.js > "$work/log" & server=$!
  for _ in $(seq 1200); do
    link=$(grep -o 'http://[^/]*/#token=.*' "$work/log") && break
    kill -0 "$server"
    sleep 0.1
  done
  origin=${link%/#*}
  token=${link#*=}
  curl --fail --silent --show-error -H "Authorization: $token" "$origin/v1/search/tracks?keyword=rising" | grep -q '"title":"Rising Scale'
  curl --fail --silent --show-error "$origin/" | grep -q '<title>'
  npm run check -- --write --strict
  kill "$server"
  wait "$server"
  server=
  echo "A new source of the template $template: installed, tested, built, started, checked and stopped"
done
cd "$repository"
node --import=./test/strip-types.js .ci/compose.js "$work/upstream"
