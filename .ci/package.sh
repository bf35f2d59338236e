#!/usr/bin/env bash
# Checks the built package as npm would publish it: its fields, how each subpath resolves, and its public types.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tarball=$work/$(npm pack --silent --ignore-scripts --pack-destination "$work" | tail -1)
node .ci/tools/run.js publint --strict "$tarball"
# Every Node of `engines` loads ES modules with require, so the subpaths need no CommonJS of their own.
node .ci/tools/run.js attw "$tarball" --profile node16 --ignore-rules cjs-resolves-to-esm --format ascii --no-emoji
node test/api-report.js --check
