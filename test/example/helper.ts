import fastify, { type InjectOptions } from 'fastify'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { serveFolder } from '../../example/app.ts'
import { readSettings } from '../../example/settings.ts'
import { logged } from '../helper.ts'

export const token = 'the token of the tests'
export const demo = join(process.cwd(), 'example/music')

/** A folder of its own for a test, with files in it; a path that ends with a slash is an empty folder. */
export function folder (t: Test, files: Record<string, string | Uint8Array> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'source-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) put(root, path, content)
  return root
}

/** Writes a file, an hour old unless `mtime` (Unix seconds) says otherwise. */
export function put (root: string, path: string, content: string | Uint8Array, mtime = Date.now() / 1000 - 3600): void {
  const file = join(root, path)
  mkdirSync(path.endsWith('/') ? file : dirname(file), { recursive: true })
  if (path.endsWith('/')) return
  writeFileSync(file, content)
  utimesSync(file, mtime, mtime)
}

/** The example with a log that can be read; the demo library unless `env` says otherwise. */
export async function start (t: Test, env: Record<string, string> = {}) {
  const log = logged()
  const app = fastify({ logger: log.logger })
  t.teardown(() => app.close())
  const settings = readSettings({ MUSIC_DIR: demo, DATA_DIR: env.DATA_DIR ?? folder(t), SOURCE_API_TOKEN: token, NODE_ENV: 'production', ...env })
  await app.register(async instance => serveFolder(instance, settings))
  await app.ready()
  const call = (url: string, options: InjectOptions = {}) => app.inject({ url, headers: { authorization: token }, ...options })
  /** The data of an operation; throws the message of what is no success. */
  const data = async (url: string): Promise<any> => {
    const { code, message, data } = (await call(url)).json()
    if (code !== 200) throw new Error(`${code} ${message}`)
    return data
  }
  return { app, lines: log.lines, call, data }
}

/** A source of files that are made for the test. */
export const startWith = (t: Test, files: Record<string, string | Uint8Array>, env: Record<string, string> = {}) =>
  start(t, { MUSIC_DIR: folder(t, files), ...env })

/** Path and query of a URL, for `inject`. */
export function pathOf (url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

export { mp3, wav, type Tags } from './make-audio.ts'

/** Waits until something holds. */
export async function until (holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!await holds()) await new Promise(resolve => setTimeout(resolve, 10))
}
