import t from 'tap'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { listen } from '../client/helper.ts'
import { buildReference, token as friendToken } from '../reference-source.ts'
import { skipWithout } from '../services.ts'
import { startMortalSupysonic, supysonicUser } from '../subsonic-client/start-supysonic.ts'
import { demo, folder, pathOf, start, token, until } from './helper.ts'
import { mp3Frames } from './make-audio.ts'

/** Lists of `/v1`, which may have a part; what Subsonic apps delete by, and what the page lists, which may not. */
const parts = [
  '/v1/track/new', '/v1/search/tracks?keyword=o&limit=100', '/v1/user/favorite/tracks', '/rest/getPlaylists'
]
const wholes = [
  '/page/browse?kind=albums&limit=200',
  '/page/browse?kind=artists&limit=200',
  '/rest/getArtists',
  '/rest/getAlbumList2?type=alphabeticalByName&size=500',
  '/rest/getAlbumList2?type=newest&size=500',
  '/rest/search3?query=&songCount=500&albumCount=500&artistCount=500',
  '/rest/getStarred2',
  '/rest/getGenres'
]

/** Ids of all that an answer has, in order; those of genres are their names. */
const idsIn = (text: string): string[] => [...text.matchAll(/"(?:id|value)":"([^"]*)"/g)].map(([, id]) => id!)

/** Whether an id of `/v1` or of `/rest` is one of the Subsonic server. */
const isOfServer = (id: string): boolean =>
  id.startsWith('subsonic:') || Buffer.from(id.replace(/^.*~/, ''), 'base64url').toString().startsWith('subsonic:')

t.test('a Subsonic server is killed and comes back while lists are read and a song plays', async t => {
  if (skipWithout('supysonic', t)) return
  await t.test(async t => {
    const supysonic = await startMortalSupysonic(t)
    const MUSIC_DIR = folder(t, { 'Long.mp3': mp3Frames(Array(20_000).fill(320)) })
    cpSync(demo, MUSIC_DIR, { recursive: true })
    const { app, data } = await start(t, {
      PAGE: 'true',
      MUSIC_DIR,
      SUBSONIC_URL: supysonic.url,
      SUBSONIC_USER: supysonicUser.username,
      SUBSONIC_PASSWORD: supysonicUser.password,
      SOURCE_URL: await listen(t, await buildReference()),
      SOURCE_TOKEN: friendToken
    })
    const origin = await listen(t, app)
    const read = async (path: string) => {
      const login = path.startsWith('/rest') ? `${path.includes('?') ? '&' : '?'}u=x&p=${token}&c=app&f=json` : ''
      const answer = await fetch(origin + path + login, { headers: { authorization: token } })
      const text = await answer.text()
      const error = answer.status === 200 && !text.includes('"status":"failed"') ? '' : text
      return { path, error, ids: idsIn(text), missing: answer.headers.get('source-partial') }
    }
    // The library of the server is read in the background.
    await until(async () => (await read('/rest/getArtists')).missing === null)
    const whole = new Map<string, string[]>()
    for (const path of [...parts, ...wholes]) whole.set(path, (await read(path)).ids)
    t.ok([...whole.values()].every(ids => ids.length > 0), 'there is something in each list')

    const counts = { whole: 0, part: 0, failed: 0 }
    /** Reads all lists once. */
    const readAll = async () => {
      const before = { ...counts }
      for (const path of [...parts, ...wholes]) {
        const { error, ids, missing } = await read(path)
        const expected = whole.get(path)!
        if (error !== '') {
          counts.failed++
          if (parts.includes(path) || !/is not responding/.test(error)) t.fail(`${path}: ${error}`)
        } else if (missing === null) {
          counts.whole++
          t.strictSame(ids, expected, path)
        } else {
          counts.part++
          t.equal(missing, 'subsonic')
          if (!parts.includes(path)) t.fail(`${path} is a part`)
          t.strictSame(ids, expected.filter(id => !isOfServer(id)), path)
        }
      }
      return {
        whole: counts.whole - before.whole, part: counts.part - before.part, failed: counts.failed - before.failed
      }
    }
    const all = { whole: whole.size, part: 0, failed: 0 }
    t.strictSame(await readAll(), all)

    const { items: [song] } = await data('/v1/search/tracks?keyword=Long')
    const { url, size } = await data(`/v1/track/url?id=${encodeURIComponent(song.id)}`)
    const [stream] = await once(get(origin + pathOf(url), { agent: false }), 'response') as [IncomingMessage]
    let bytes = 0
    const chunks = stream[Symbol.asyncIterator]()
    const hear = async (most: number) => {
      while (bytes < most) {
        const { done, value } = await chunks.next()
        if (done) return
        bytes += value.length
      }
    }
    await hear(size / 4)

    const reading = readAll()
    await supysonic.kill()
    await reading
    await hear(size / 2)
    t.equal((await readAll()).failed, 0)
    // What the cache has is whole meanwhile; the search of somebody else is not.
    const search = '/v1/search/tracks?keyword=o&limit=99'
    const part = await read(search)
    t.match(part, { error: '', missing: 'subsonic' })
    t.ok(part.ids.length > 0)
    await hear(size * 3 / 4)

    const starting = supysonic.start()
    await readAll()
    await starting
    await until(async () => (await readAll()).whole === whole.size)
    const again = await read(search)
    t.equal(again.missing, null)
    t.strictSame(again.ids.filter(id => !id.startsWith('subsonic:')), part.ids)
    t.ok(again.ids.length > part.ids.length)
    await hear(Infinity)
    t.equal(bytes, size, 'and the song was heard to its end')
  })
})
