#!/usr/bin/env bash
# Checks the built package as npm would publish it: its fields, how each subpath resolves, and its public types.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
strict=$(mktemp -d "$PWD/strict-XXXXXX")
trap 'rm -rf "$work" "$strict"' EXIT

tarball=$work/$(npm pack --silent --ignore-scripts --pack-destination "$work" | tail -1)
node .ci/tools/run.js publint --strict "$tarball"
# Every Node of `engines` loads ES modules with require, so the subpaths need no CommonJS of their own.
node .ci/tools/run.js attw "$tarball" --profile node16 --ignore-rules cjs-resolves-to-esm --format ascii --no-emoji
node test/api-report.js --check

# Authors compile the types of each subpath as strictly as TypeScript can.
node --print "
  const { name, exports } = require('./package.json')
  const code = Object.keys(exports).filter(path => !path.endsWith('.json'))
  code.map((path, at) => 'export * as part' + at + ' from \'' + name + path.slice(1) + '\'').join('\n')
" > "$strict/all.ts"
npx tsc --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noPropertyAccessFromIndexSignature \
  --noImplicitOverride --verbatimModuleSyntax --module nodenext --target es2023 --types node --ignoreConfig "$strict/all.ts"
