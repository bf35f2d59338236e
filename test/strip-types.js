// Loaded before every test: lets Node 20 run TypeScript as later versions do, by leaving the types out.

import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && !process.features.typescript) register(import.meta.url)

/** Hook of Node's module loader, in a thread of its own. */
export async function load (url, context, nextLoad) {
  if (!/^file:[^?]*\.ts(\?|$)/.test(url)) return nextLoad(url, context)
  const { transformSync } = await import('amaro')
  const { code } = transformSync(await readFile(fileURLToPath(url), 'utf8'), { mode: 'strip-only' })
  return { format: 'module', source: code, shortCircuit: true }
}
