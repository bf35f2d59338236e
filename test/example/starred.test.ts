import { renameSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyDatabases } from '../postgres.ts'
import { skipWithout } from '../services.ts'
import { command, folder, mp3, scan, start, startWith, token, type Source } from './helper.ts'

// Since when something is a favourite is kept once: by the source.

skipWithout('PostgreSQL', t, /^PostgreSQL/)

const database = emptyDatabases(t)
const files = { 'a.mp3': mp3({ title: 'A', artist: 'B' }) }

async function replicas (t: Test): Promise<[Source, Source]> {
  const env = { DATABASE_URL: await database() }
  return Promise.all([startWith(t, files, env), startWith(t, files, env)])
}

const rest = async ({ app }: Source, method: string, query: Record<string, string> = {}) =>
  (await app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: 'owner', p: token, c: 'test', ...query })}`))
    .json()['subsonic-response']

/** Since when a song is a favourite, by its detail, the list of songs, and the favourites. */
async function starsOf (source: Source, id: string): Promise<(string | undefined)[]> {
  const { song } = await rest(source, 'getSong', { id })
  const all = (await rest(source, 'search3', { query: '', songCount: '500' })).searchResult3.song
  const { starred2 } = await rest(source, 'getStarred2')
  return [song, all.find((song: any) => song.id === id), starred2.song.find((song: any) => song.id === id)]
    .map(song => song?.starred)
}

const firstOf = async (source: Source): Promise<string> =>
  (await rest(source, 'search3', { query: '', songCount: '1' })).searchResult3.song[0].id

const none = [undefined, undefined, undefined]

t.test('PostgreSQL: what is starred at one replica and unstarred at the other is so at both, at once', async t => {
  const [one, other] = await replicas(t)
  const id = await firstOf(one)
  for (const source of [one, other]) t.strictSame(await starsOf(source, id), none)
  await rest(one, 'star', { id })
  const since = await starsOf(one, id)
  t.match(since, [/^20/, since[0], since[0]])
  t.strictSame(await starsOf(other, id), since)
  await rest(other, 'unstar', { id })
  for (const source of [one, other]) t.strictSame(await starsOf(source, id), none)
})

t.test('PostgreSQL: what is played at one replica is counted at the other, at once', async t => {
  const [one, other] = await replicas(t)
  const id = await firstOf(one)
  const countsOf = () => Promise.all([one, other].map(async source =>
    (await rest(source, 'getSong', { id })).song.playCount))
  t.strictSame(await countsOf(), [0, 0])
  await rest(one, 'scrobble', { id })
  t.strictSame(await countsOf(), [1, 1])
})

t.test('after a backup was restored, songs are favourites since when they were then', async t => {
  const DATA_DIR = folder(t)
  const source = await startWith(t, files, { DATA_DIR })
  const id = await firstOf(source)
  await rest(source, 'star', { id })
  const since = await starsOf(source, id)
  const file = join(folder(t), 'backup.sqlite')
  await command(DATA_DIR, ['backup', file])
  await rest(source, 'unstar', { id })
  t.strictSame(await starsOf(source, id), none)
  await command(DATA_DIR, ['restore', file])
  t.strictSame(await starsOf(source, id), since)
})

t.test('songs of a folder that is away for a moment are as often played, and favourites since the same time, when it ' +
  'is back', async t => {
  const MUSIC_DIR = folder(t, {
    'here/a.mp3': mp3({ title: 'Here', artist: 'A' }), 'away/b.mp3': mp3({ title: 'Away', artist: 'B' })
  })
  const source = await start(t, { MUSIC_DIR })
  const { song } = (await rest(source, 'search3', { query: 'away' })).searchResult3
  const { id } = song[0]
  await rest(source, 'star', { id })
  await rest(source, 'scrobble', { id, time: '1735689600000' })
  const since = await starsOf(source, id)
  const playsOf = async () => (await rest(source, 'getSong', { id })).song.playCount
  t.equal(await playsOf(), 1)
  const elsewhere = join(folder(t), 'away')
  const listed = async () => (await rest(source, 'getStarred2')).starred2.song.length
  renameSync(join(MUSIC_DIR, 'away'), elsewhere)
  await scan(source)
  t.equal(await listed(), 0)
  // What is there now is played as often as before.
  t.equal((await rest(source, 'search3', { query: 'here' })).searchResult3.song[0].playCount, 0)
  renameSync(elsewhere, join(MUSIC_DIR, 'away'))
  await scan(source)
  t.equal(await listed(), 1)
  t.strictSame(await starsOf(source, id), since)
  t.equal(await playsOf(), 1)
})
