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

export interface Tags {
  title?: string
  artist?: string
  album?: string
  albumArtist?: string
  track?: string
  disc?: string
  date?: string
  genre?: string
  compilation?: string
  lyrics?: string
  /** Lines with their times in milliseconds. */
  synced?: [time: number, line: string][]
  picture?: Uint8Array
}

const frameNames = {
  title: 'TIT2', artist: 'TPE1', album: 'TALB', albumArtist: 'TPE2', track: 'TRCK', disc: 'TPOS', date: 'TDRC', genre: 'TCON', compilation: 'TCMP'
} as const

const syncSafe = (size: number) => Buffer.from([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])

/** An ID3v2.4 tag. `latin1` writes texts byte by byte, so that a test can put another encoding there. */
function id3 ({ lyrics, synced, picture, ...texts }: Tags, encoding: 'utf8' | 'latin1'): Buffer {
  const mark = Buffer.from([encoding === 'utf8' ? 3 : 0])
  const frames: [string, Buffer][] = Object.entries(texts).map(([name, text]) =>
    [frameNames[name as keyof typeof texts], Buffer.concat([mark, Buffer.from(text, encoding)])])
  if (lyrics !== undefined) frames.push(['USLT', Buffer.concat([mark, Buffer.from('eng\0'), Buffer.from(lyrics, encoding)])])
  if (synced !== undefined) {
    const lines = synced.map(([time, line]) => Buffer.concat([Buffer.from(`${line}\0`), Buffer.from([0, 0, time >> 8, time & 255])]))
    frames.push(['SYLT', Buffer.concat([mark, Buffer.from('eng\x02\x01\0'), ...lines])])
  }
  if (picture !== undefined) frames.push(['APIC', Buffer.concat([mark, Buffer.from('image/png\0\x03\0'), picture])])
  const body = Buffer.concat(frames.flatMap(([name, content]) => [Buffer.from(name), syncSafe(content.length), Buffer.alloc(2), content]))
  return Buffer.concat([Buffer.from('ID3\x04\0\0'), syncSafe(body.length), body])
}

/** A silent mp3: 128 kbit/s unless it is `high` (320 kbit/s), a second long. */
export function mp3 (tags: Tags, { high = false, encoding = 'utf8' as 'utf8' | 'latin1', seconds = 1 } = {}): Buffer {
  const frame = Buffer.alloc(high ? 1044 : 417)
  frame.set([0xff, 0xfb, high ? 0xe0 : 0x90, 0])
  return Buffer.concat([id3(tags, encoding), ...Array<Buffer>(Math.ceil(seconds * 44100 / 1152)).fill(frame)])
}

/** A silent wav of a tenth of a second, which is lossless. */
export function wav (tags: Tags): Buffer {
  const chunk = (name: string, content: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.length)
    return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)])
  }
  const format = Buffer.from([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0]) // PCM, mono, 8000 Hz, 16 bit
  return chunk('RIFF', Buffer.concat([
    Buffer.from('WAVE'), chunk('fmt ', format), chunk('id3 ', id3(tags, 'utf8')), chunk('data', Buffer.alloc(1600))
  ]))
}
