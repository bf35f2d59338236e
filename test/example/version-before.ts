import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { runExample } from './run-example.ts'

/** Settings of a run on a data folder. */
interface Settings extends Record<string, string> { readonly DATA_DIR: string, readonly SOURCE_API_TOKEN: string }

/** Writes the app of an older version into this package, where it finds the dependencies. */
export function versionBefore (t: Test): string {
  const files: Record<string, string> =
    JSON.parse(gunzipSync(readFileSync('test/operations/version-before.json.gz')).toString())
  mkdirSync('.tap', { recursive: true })
  const directory = resolve(mkdtempSync('.tap/version-before-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return join(directory, 'app.js')
}

/** Runs an app while a callback uses a client of the owner. @returns the result of the callback */
export async function during<T> (
  t: Test, settings: Settings, app: string, use: (source: Client) => Promise<T>
): Promise<T> {
  const { child, said, ended } = runExample(t, { TRANSCODING: 'false', ...settings }, { app })
  const [, origin = ''] = await said(/listening at (http:[^"]+)/)
  // The log of an older version has another text.
  await said(/\d tracks on |"scan finished"/)
  const result = await use(clientOf(origin, settings.SOURCE_API_TOKEN))
  child.kill()
  t.match(await ended, { code: 0 })
  return result
}

/** Starts an app that must refuse the accounts of a newer version. */
export async function refuses (t: Test, settings: Settings, app: string): Promise<void> {
  const { ended, output } = runExample(t, settings, { app })
  t.notMatch(await ended, { code: 0 })
  t.match(output.err, /The database is of a newer version/)
}

/** Does what docs/operations/upgrading.md says under "Going back". */
export function goBack (dataDir: string): void {
  const file = join(dataDir, 'state.sqlite')
  const copy = readdirSync(dataDir).find(name => /^state\.sqlite\.before-[\w-]+$/.test(name))!
  renameSync(join(dataDir, copy), file)
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
}

/** A client of an account. */
export function clientOf (origin: string, token: string) {
  const v1 = async (path: string, body?: object): Promise<any> => {
    const response = await fetch(`${origin}/v1/${path}`, {
      ...body && { method: 'POST', body: JSON.stringify(body) },
      headers: { authorization: token, ...body && { 'content-type': 'application/json' } }
    })
    return (await response.json() as any).data
  }
  const rest = async (method: string, query: Record<string, string>): Promise<any> => {
    const login = { u: 'x', p: token, c: 'test', f: 'json' }
    const response = await fetch(`${origin}/rest/${method}?${new URLSearchParams({ ...login, ...query })}`)
    return (await response.json() as any)['subsonic-response']
  }
  return { origin, v1, rest }
}

type Client = ReturnType<typeof clientOf>

/** The stored data that an account sees. */
export type Stored = Awaited<ReturnType<typeof storedIn>>

/** Stores a playlist, a favourite and a rating. */
export async function store (source: Client): Promise<Stored> {
  const [first, second] = await source.v1('track/new')
  const { id: playlistId } = await source.v1('playlist/create', { name: 'Kept' })
  for (const { id: trackId } of [second, first]) await source.v1('playlist/addTrack', { playlistId, trackId })
  await source.v1('track/favorite', { id: first.id, status: true })
  await source.rest('setRating', { id: `tr-${second.id}`, rating: '4' })
  return storedIn(source)
}

/** Reads what `store` has stored. */
export async function storedIn ({ v1, rest }: Client) {
  const { id, name } = (await v1('user/playlist/list')).find(({ name }: { name: string }) => name === 'Kept')
  const { tracks } = await v1(`playlist/detail?id=${id}`)
  const songs = await Promise.all(tracks.map(async ({ id }: { id: string }) =>
    (await rest('getSong', { id: `tr-${id}` })).song))
  return {
    name,
    songs: songs.map(({ id, title, userRating, created, starred }) =>
      ({ id, title, userRating, created, isStarred: starred !== undefined }))
  }
}
