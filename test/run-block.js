// Loaded before a code block of the documents, in its process: it lets Node 20 import the TypeScript of the package, and tells the
// process above which ports the block listens on.

import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { transform } from 'esbuild'

if (isMainThread) {
  register(import.meta.url)
  Server.prototype.emit = function (name, ...args) {
    if (name === 'listening' && process.connected) process.send(this.address().port)
    return EventEmitter.prototype.emit.call(this, name, ...args)
  }
}

/** Hook of Node's module loader, in a thread of its own. */
export async function load (url, context, nextLoad) {
  if (!/^file:.*\.ts$/.test(url)) return nextLoad(url, context)
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { loader: 'ts', format: 'esm', sourcemap: 'inline' })
  return { format: 'module', source: code, shortCircuit: true }
}
