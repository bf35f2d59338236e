// Computes from the imports of a test whether its result can depend on the version of Node.

import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'

/** Modules of Node that change between major versions. */
const differing = /^node:(child_process|dns|http2?|https|net|stream|tls|worker_threads|zlib)\b/
/** Counts only for the tested code, since most tests read files. */
const files = /^node:fs\b/

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))

const known = new Map<string, string[]>()

/** Returns the imports of a module, without types: paths in the repository, and names of packages. */
function importsOf (file: string): string[] {
  const before = known.get(file)
  if (before !== undefined) return before
  const text = readFileSync(file, 'utf8').replaceAll(/^(import|export) type [^']*'[^']*'/gm, '')
  const found = ts.preProcessFile(text).importedFiles.map(({ fileName }) => {
    if (fileName.startsWith('.')) return posix.join(posix.dirname(file), fileName.split('?')[0]!)
    const own: string | undefined = exports[fileName.replace(/^fastify-source-origin/, '.')]?.['source-origin-dev']
    return own === undefined ? fileName : posix.normalize(own)
  })
  known.set(file, found)
  return found
}

/** Returns all imports that a module reaches through modules that `isPart` accepts. */
function reachOf (file: string, isPart: (path: string) => boolean): Set<string> {
  const reached = new Set([file])
  for (const path of reached) {
    if (path !== file && !isPart(path)) continue
    if (/\.[jt]sx?$/.test(path) && existsSync(path)) for (const target of importsOf(path)) reached.add(target)
  }
  return reached
}

/** `test/media/x.test.ts` tests `lib/media`, `test/example/scan/x.test.ts` tests `example/scan`. */
function roomsOf (test: string): string[] {
  const folder = posix.dirname(test).split('/').slice(1)
  const room = folder[0] === 'example' ? folder.slice(0, 2).join('/') : `lib/${folder[0] ?? ''}`
  return [`${posix.dirname(test)}/`, folder.length === 0 ? '' : `${room}/`]
}

/**
 * Whether the result of a test can depend on the major version of Node: the test or the tested code imports a module
 * that changes. Pages run in the browser.
 */
export function canDiffer (test: string): boolean {
  if (needsBrowser(test)) return false
  const rooms = roomsOf(test)
  return [...reachOf(test, path => rooms.some(room => path.startsWith(room)))].some(path => differing.test(path) ||
    (!path.startsWith('test/') && existsSync(path) && importsOf(path).some(name => files.test(name))))
}

export const needsBrowser = (test: string) => reachOf(test, () => true).has('playwright-core')

/** Whether a test uses a database. Node 22 and later have their own driver. */
export const usesDatabase = (test: string) => reachOf(test, () => true).has('example/database/node-sqlite.ts')
