import { readdir } from 'node:fs/promises'
import { createContext, runInContext } from 'node:vm'
import { build, type Platform } from 'esbuild'
import t from 'tap'

const contract = new URL('../../lib/contract/', import.meta.url)
const files = await readdir(contract)

const entries = {
  'the client': ["export * from 'fastify-source-origin/client'"],
  'the contract': files.map((file, index) => `export * as _${index} from '../../lib/contract/${file}'`)
}

/** Where a bundle runs, and the conditions of exports that bundlers of such a place set. */
const places: Record<string, { platform: Platform, conditions: string[] }> = {
  'a browser': { platform: 'browser', conditions: ['browser'] },
  'a worker': { platform: 'neutral', conditions: ['workerd', 'worker'] }
}

for (const [what, lines] of Object.entries(entries)) {
  for (const [place, { platform, conditions }] of Object.entries(places)) {
    t.test(`${what} is bundled for ${place} and loads there without anything of Node`, async t => {
      const { outputFiles: [bundle] } = await build({
        stdin: { contents: lines.join('\n'), resolveDir: import.meta.dirname },
        conditions: [...conditions, 'source-origin-dev'],
        platform,
        format: 'iife',
        globalName: 'bundled',
        bundle: true,
        write: false
      })
      // A context that has the language and nothing else: no process, no Buffer, no require.
      const bundled = runInContext(`${bundle!.text}; bundled`, createContext({}))
      t.ok(Object.keys(bundled).length >= lines.length)
    })
  }
}
