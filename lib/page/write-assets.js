// Builds what browsers load and writes it beside the compiled plugin, as a module, so that the package needs neither
// esbuild nor a file to find at run time.

import { rmSync, writeFileSync } from 'node:fs'

const { assets } = await import('../../dist/lib/page/build-assets.js')
writeFileSync('dist/lib/page/assets.js', `export const assets = new Map(${JSON.stringify([...assets])})\n`)
for (const end of ['.js', '.d.ts']) rmSync(`dist/lib/page/build-assets${end}`)
