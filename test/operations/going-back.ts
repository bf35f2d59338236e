import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { openSqlite } from '../../example/database/open-sqlite.ts'
import { folder } from '../example/helper.ts'
import { runExample } from '../example/run-example.ts'

const token = 'the token of the owner'

/** Writes the app of an older version into this package, where it finds the dependencies. */
function versionBefore (t: Test): string {
  const files: Record<string, string> =
    JSON.parse(gunzipSync(readFileSync('test/operations/version-before.json.gz')).toString())
  const directory = t.testdir({})
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return join(directory, 'app.js')
}

/** Runs an app until the callback has ended. */
async function during (t: Test, DATA_DIR: string, app: string, use: (source: Client) => Promise<unknown>) {
  const { child, said, ended } = runExample(t, { DATA_DIR, SOURCE_API_TOKEN: token, TRANSCODING: 'false' }, { app })
  const [, origin = ''] = await said(/listening at (http:[^"]+)/)
  await said(/\d tracks on /)
  await use(clientOf(origin))
  child.kill()
  t.match(await ended, { code: 0 })
}

function clientOf (origin: string) {
  const v1 = async (path: string, body?: object): Promise<any> => {
    const response = await fetch(`${origin}/v1/${path}`, {
      ...body && { method: 'POST', body: JSON.stringify(body) },
      headers: { authorization: token, ...body && { 'content-type': 'application/json' } }
    })
    return (await response.json() as any).data
  }
  const rest = async (method: string, query: Record<string, string>): Promise<any> => {
    const login = { u: 'owner', p: token, c: 'test', f: 'json' }
    const response = await fetch(`${origin}/rest/${method}?${new URLSearchParams({ ...login, ...query })}`)
    return (await response.json() as any)['subsonic-response']
  }
  return { v1, rest }
}

type Client = ReturnType<typeof clientOf>

/** What the owner sees of what was stored. */
async function storedIn ({ v1, rest }: Client) {
  const [{ id, name }] = await v1('user/playlist/list')
  const { tracks } = await v1(`playlist/detail?id=${id}`)
  const songs = await Promise.all(tracks.map(async ({ id }: { id: string }) =>
    (await rest('getSong', { id: `tr-${id}` })).song))
  return {
    name,
    songs: songs.map(({ id, title, userRating, created, starred }) =>
      ({ id, title, userRating, created, isStarred: starred !== undefined }))
  }
}

t.test('the version before starts after an upgrade, a refused upgrade and a return, with all that it had', async t => {
  const before = versionBefore(t)
  const now = 'dist/example/app.js'
  const DATA_DIR = folder(t)
  const inData = (name: string) => join(DATA_DIR, name)
  let stored: Awaited<ReturnType<typeof storedIn>>
  const hasAll = async (source: Client) => t.strictSame(await storedIn(source), stored)

  await during(t, DATA_DIR, before, async source => {
    const [first, second] = await source.v1('track/new')
    const { id: playlistId } = await source.v1('playlist/create', { name: 'Kept' })
    for (const { id: trackId } of [second, first]) await source.v1('playlist/addTrack', { playlistId, trackId })
    await source.v1('track/favorite', { id: first.id, status: true })
    await source.rest('setRating', { id: `tr-${second.id}`, rating: '4' })
    stored = await storedIn(source)
    t.match(stored, { name: 'Kept', songs: [{ userRating: 4 }, { isStarred: true }] })
  })

  const refuse = (from: string, to: string) => {
    const database = openSqlite(inData('state.sqlite'))
    database.run('UPDATE kysely_migration SET name = ? WHERE name = ?', [to, from])
    database.close()
  }
  const { ino } = statSync(inData('library.sqlite'))
  refuse('state-5', 'state-4 of somebody')
  const refused = runExample(t, { DATA_DIR, SOURCE_API_TOKEN: token }, { app: now })
  t.notMatch(await refused.ended, { code: 0 })
  t.match(refused.output.err, /The database is of a newer version/)
  t.equal(statSync(inData('library.sqlite')).ino, ino)
  refuse('state-4 of somebody', 'state-5')
  await during(t, DATA_DIR, before, hasAll)

  await during(t, DATA_DIR, now, hasAll)
  const newer = runExample(t, { DATA_DIR, SOURCE_API_TOKEN: token }, { app: before })
  t.notMatch(await newer.ended, { code: 0 })
  t.match(newer.output.err, /The database is of a newer version/)

  // As docs/operations/upgrading.md says, Going back.
  renameSync(inData('state.sqlite.before-state-8'), inData('state.sqlite'))
  for (const end of ['-wal', '-shm']) rmSync(inData(`state.sqlite${end}`), { force: true })
  await during(t, DATA_DIR, before, hasAll)
  await during(t, DATA_DIR, now, hasAll)
})
