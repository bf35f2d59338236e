import fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { callServer } from '../../example/accounts/control-socket.ts'
import { options } from '../../example/server/server-options.ts'
import { serveFolder } from '../../example/serve-folder.ts'
import { readSettings } from '../../example/start/settings.ts'
import { bounds } from '../../lib/protection/shed-load.ts'
import { writeId } from '../../lib/subsonic-server/ids.ts'
import { connectToOwner } from '../../example/database/lock-data-dir.ts'
import { logged } from '../helper.ts'

export const token = 'the token of the tests'
export const demo = join(process.cwd(), 'example/music')

// A machine that is busy with other tests is no overload of the source.
bounds.maxEventLoopDelay = Infinity

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

/** Makes a FIFO: whoever opens it as a file waits for somebody who writes. */
export const fifo = (root: string, path: string): void => { execFileSync('mkfifo', [join(root, path)]) }

/** A log event with its fields as one line. */
export const lineOf = (details: object, event: string): string =>
  `${event}: ${Object.entries(details).map(([name, value]) => `${name}=${value}`).join(' ')}`

/**
 * The example with a log that can be read, when its first scan has ended; the demo library unless `env` says otherwise.
 */
export async function start (t: Test, env: Record<string, string> = {}) {
  const log = logged()
  // Before the source, so that it is closed when the folder goes.
  const DATA_DIR = env.DATA_DIR ?? folder(t)
  const app = fastify({ logger: log.logger, pluginTimeout: options.pluginTimeout! })
  t.teardown(() => app.close())
  const settings = readSettings({
    MUSIC_DIR: demo, DATA_DIR, SOURCE_API_TOKEN: token, NODE_ENV: 'production', TRANSCODING: 'false', ...env
  })
  await app.register(async instance => serveFolder(instance, settings))
  await app.ready()
  // The example waits for a slow scan only for a while.
  await until(() => log.lines.some(({ msg }) => msg === 'scan finished'))
  return as({ app, lines: log.lines }, token)
}

/** A source that is called with another token. */
export function as ({ app, lines }: Pick<Source, 'app' | 'lines'>, token: string) {
  const call = (url: string, options: InjectOptions = {}) =>
    app.inject({ url, headers: { authorization: token }, ...options })
  /** The data of an operation; throws the message of what is no success. */
  const data = async (url: string): Promise<any> => dataOf(await call(url))
  return { app, lines, call, data }
}

function dataOf (answer: { json (): any }) {
  const { code, message, data } = answer.json()
  if (code !== 200) throw new Error(`${code} ${message}`)
  return data
}

export interface Source {
  app: FastifyInstance
  lines: Record<string, any>[]
  call: (url: string, options?: InjectOptions) => Promise<LightMyRequestResponse>
  data: (url: string) => Promise<any>
}

/** Calls a writing operation; throws the message of what is no success. */
export const write = async ({ call }: Source, path: string, payload: object) =>
  dataOf(await call(`/v1/${path}`, { method: 'POST', payload }))

/** What `npm run account` does while a source runs on a data folder. */
export async function command (dataDir: string, args: string[], input = ''): Promise<string> {
  const server = await connectToOwner(dataDir)
  if (server === undefined) throw new Error('There is no server')
  return callServer(server, args, input)
}

/** An app tells that a track was heard. */
export const hear = async ({ app }: Pick<Source, 'app'>, token: string, id: string): Promise<void> => {
  const answer = await app.inject(`/rest/scrobble?${new URLSearchParams({ u: 'x', p: token, c: 'an app', id: writeId('track', id) })}`)
  if (!answer.body.includes('status="ok"')) throw new Error(answer.body)
}

/** Has the folder scanned as an app of the owner does: the watcher collects changes for a while. */
export async function scan ({ app }: Pick<Source, 'app'>): Promise<void> {
  const status = async (method: string) => (await app.inject(`/rest/${method}?${
    new URLSearchParams({ u: 'x', p: token, c: 'an app', f: 'json' })}`)).json()['subsonic-response'].scanStatus
  await status('startScan')
  await until(async () => !(await status('getScanStatus')).scanning)
}

export const tokenIn = (output: string): string => /so_\S+/.exec(output)![0]

/** A source of files that are made for the test. */
export const startWith = (t: Test, files: Record<string, string | Uint8Array>, env: Record<string, string> = {}) =>
  start(t, { MUSIC_DIR: folder(t, files), ...env })

/** Path and query of a URL, for `inject`. */
export function pathOf (url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

export { mp3, wav } from './make-audio.ts'

/** Waits until something holds; throws after three minutes, long before the test runner ends the process. */
export async function until (holds: () => boolean | Promise<boolean>, pause = 10): Promise<void> {
  const limit = AbortSignal.timeout(180_000)
  while (!await holds()) {
    if (limit.aborted) throw new Error(`This did not hold within three minutes: ${holds}`)
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}
