// Loaded before every test: lets Node 20 run TypeScript as later versions do, by leaving the types out.

import { hash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && !process.features.typescript) register(import.meta.url)

const cache = new URL('../node_modules/.cache/strip-types/', import.meta.url)

/** Hook of Node's module loader, in a thread of its own. */
export async function load (url, context, nextLoad) {
  if (!/^file:[^?]*\.ts(\?|$)/.test(url)) return nextLoad(url, context)
  return {
    format: 'module', source: await withoutTypes(await readFile(fileURLToPath(url), 'utf8')), shortCircuit: true
  }
}

/** Kept for the next processes: every test file has one of its own. */
async function withoutTypes (text) {
  const name = hash('sha256', text)
  const file = new URL(`${name}.js`, cache)
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept !== undefined) return kept
  const { transformSync } = await import('amaro')
  const { code } = transformSync(text, { mode: 'strip-only' })
  await mkdir(cache, { recursive: true })
  // The same text may be written twice at once: whoever reads must not see half of it.
  const draft = new URL(randomUUID(), cache)
  await writeFile(draft, code)
  await rename(draft, file)
  return code
}
