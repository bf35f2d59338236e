#!/usr/bin/env bash
# Runs README's test command in a fresh clone on a machine with Node and npm only: a mount namespace hides the services.
# The command must pass and report the skipped tests. Then the files with skipped tests run with the services.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet . "$work/clone"
mkdir "$work/over"
export work PATH

as_root=$([ "$(id -u)" = 0 ] || echo sudo --preserve-env)
$as_root unshare --mount bash -euo pipefail -c '
  mount -t tmpfs tmpfs "$work/over"
  mkdir "$work"/over/{upper,work}
  mount -t overlay overlay -o "lowerdir=/usr/bin,upperdir=$work/over/upper,workdir=$work/over/work" /usr/bin
  rm -f /usr/bin/{ffmpeg,redis-*,chromium*,supysonic*,prometheus*,promtool,psql,pg_*}
  if [ -d /usr/lib/postgresql ]; then mount -t tmpfs tmpfs /usr/lib/postgresql; fi
  unset CI CHROMIUM
  cd "$work/clone"
  npm install --no-audit --no-fund
  npm test' 2>&1 | tee "$work/log"
for service in PostgreSQL Prometheus Redis supysonic; do
  grep -q "^needs $service: [1-9][0-9]* tests were skipped" "$work/log"
done

$as_root chown -R "$(id -u)" "$work/clone"
cd "$work/clone"
mapfile -t skipped < <(find .tap/test-results -type f -name '*.tap' -exec awk '
  / *# Subtest: test\/.*\.test\.ts$/ { file = $NF }
  / # SKIP needs / { print file }' {} + | sort -u)
echo "With the services: ${#skipped[@]} files"
CI=true npm test -- --per-node "${skipped[@]}"
