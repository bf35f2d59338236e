import fastify, { type FastifyInstance } from 'fastify'
import sourceOrigin, { type SourceAdapter } from 'fastify-source-origin'
import { checkSource } from 'fastify-source-origin/check'
import { createSourceClient } from 'fastify-source-origin/client'
import { createSigner, mediaProxy } from 'fastify-source-origin/media'
import subsonic, { createSubsonicAdapter, createSubsonicClient } from 'fastify-source-origin/subsonic'
import { randomBytes, randomUUID } from 'node:crypto'
import { SubsonicAPI } from 'subsonic-api'
import t, { type Test } from 'tap'
import { skipWithout } from '../services.ts'
import { roomy, token } from '../subsonic-server/helper.ts'
import { startSupysonic, supysonicUser } from './start-supysonic.ts'

const listen = (app: FastifyInstance) => app.listen({ port: 0, host: '127.0.0.1' })
const resolveLogin = ({ verify }: { verify: (secret: string) => boolean }) => verify(token) ? token : null

/** A Subsonic server as a source. */
async function originOver (t: Test, url: string): Promise<string> {
  const client = createSubsonicClient({ url, ...supysonicUser })
  const app = fastify()
  t.teardown(async () => {
    await app.close()
    await client.close()
  })
  await app.register(mediaProxy, {
    signer: createSigner({ keys: [randomBytes(32)], ttl: 3_600_000 }), prefix: '/media', kinds: client.mediaKinds
  })
  let baseUrl = ''
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization, signal }) => authorization !== token
      ? null
      : {
          adapter: createSubsonicAdapter(client, { signal, media: (...of) => baseUrl + app.mediaUrl(...of) }),
          stateless: false,
          qualityMap: client.qualityMap,
          playlistSortOptions: client.playlistSortOptions,
          account: client.account,
          varyBy: baseUrl
        }
  })
  baseUrl = await listen(app)
  return baseUrl
}

/** A source as a Subsonic server. */
async function restOver (t: Test, adapter: SourceAdapter): Promise<string> {
  const app = fastify(roomy)
  t.teardown(() => app.close())
  const context = { adapter, stateless: false, account: 'one' }
  // The demo music is no favourite of anybody, so that the library is what everybody is shown: all artists and their
  // albums.
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => authorization === token ? context : null, validateResponses: false
  })
  await app.register(subsonic, { resolveLogin, allowPrivate: true })
  return listen(app)
}

const url = skipWithout('supysonic', t) ? 'http://supysonic.invalid' : await startSupysonic(t)
const direct = async (method: string, query: Record<string, string | number> = {}) => {
  const { username: u, password: p } = supysonicUser
  const all = new URLSearchParams({
    u,
    p,
    f: 'json',
    c: 'test',
    v: '1.10.2',
    ...Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, String(value)])
    )
  })
  return fetch(`${url}/rest/${method}.view?${all}`)
}
const asked = async (method: string, query?: Record<string, string | number>): Promise<any> =>
  ((await (await direct(method, query)).json()) as any)['subsonic-response']

const origin = await originOver(t, url)
const client = createSourceClient({ baseUrl: origin, authorization: token })
const rest = await restOver(t, client)
const api = new SubsonicAPI({ url: rest, auth: { username: 'ada', password: token } })

const artistsIn = ({ artists }: any): any[] => artists.index.flatMap(({ artist }: any) => artist)
const sorted = (items: readonly any[], ...members: string[]) =>
  items.map(item => members.map(name => item[name])).sort()
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())
const idOf = (id: string) => id.replace(/^\w\w-/, '')

t.test('the same artists', async t => {
  const ours = artistsIn(await api.getArtists())
  t.strictSame(sorted(ours.map(({ id, ...rest }) => ({ id: idOf(id), ...rest })), 'id', 'name'), sorted(
    artistsIn(await asked('getArtists')), 'id', 'name'
  ))
})

t.test('the same albums of every artist', async t => {
  for (const { id } of artistsIn(await asked('getArtists'))) {
    const ours: any = (await api.getArtist({ id: `ar-${id}` })).artist
    const theirs = (await asked('getArtist', { id })).artist
    t.strictSame(
      sorted(ours.album.map(({ id, ...rest }: any) => ({ id: idOf(id), ...rest })), 'id', 'name', 'songCount'),
      sorted(theirs.album ?? [], 'id', 'name', 'songCount')
    )
  }
})

t.test('the same songs, audio and covers, byte by byte', async t => {
  const { album: albums } = (await asked('getAlbumList2', { type: 'alphabeticalByName', size: 500 })).albumList2
  for (const { id } of albums) {
    const ours: any = (await api.getAlbum({ id: `al-${id}` })).album
    const theirs = (await asked('getAlbum', { id })).album
    const members = ['title', 'album', 'artist', 'duration', 'size', 'suffix']
    // Supysonic has no order for two files of one number.
    t.strictSame(sorted(ours.song, ...members), sorted(theirs.song, ...members))
    for (const song of theirs.song) {
      const theirAudio = await bytes(await direct('stream', { id: song.id, format: 'raw' }))
      const response = await api.stream({ id: `tr-${song.id}` })
      t.match(response.headers.get('content-type'), /^audio\//)
      t.ok((await bytes(response)).equals(theirAudio), song.title)
      const part = await fetch(response.url, { headers: { range: 'bytes=100-199' } })
      t.equal(part.status, 206)
      t.ok((await bytes(part)).equals(theirAudio.subarray(100, 200)))
    }
    const cover = await bytes(await direct('getCoverArt', {
      id: theirs.song[0].coverArt ?? theirs.coverArt ?? theirs.song[0].id, size: 600
    }))
    const ourCover = await api.getCoverArt({ id: ours.coverArt })
    if (theirs.coverArt !== undefined) t.ok((await bytes(ourCover)).equals(cover), `cover of ${theirs.name}`)
  }
})

t.test('songs, albums and artists have all that the server tells of them', async t => {
  const server = createSubsonicClient({ url, ...supysonicUser, transcoding: false })
  t.teardown(() => server.close())
  const over = await restOver(t, createSubsonicAdapter(server, { media: () => 'http://127.0.0.1/' }))
  const ours = async (method: string, id: string): Promise<any> => {
    const query = new URLSearchParams({ f: 'json', u: 'ada', p: token, c: 'test', id })
    return ((await (await fetch(`${over}/rest/${method}?${query}`)).json()) as any)['subsonic-response']
  }
  // Paths are not told, a cover is that of the album, and ids are ours. The server has rates of Ogg files in bit/s, and
  // genres of an album in any order.
  const told = ({ id, path, coverArt, parent, albumId, artistId, song, album, bitRate, genre, ...members }: any) => ({
    ...members,
    ...bitRate && { bitRate: bitRate > 10_000 ? Math.round(bitRate / 1000) : bitRate },
    ...genre && { genre: song === undefined ? genre : String }
  })
  for (const { id } of artistsIn(await asked('getArtists'))) {
    const { artist } = await asked('getArtist', { id })
    t.match((await ours('getArtist', `ar-${id}`)).artist, told(artist))
  }
  const { album: albums } = (await asked('getAlbumList2', { type: 'alphabeticalByName', size: 500 })).albumList2
  for (const { id } of albums) {
    const { album } = await asked('getAlbum', { id })
    t.match((await ours('getAlbum', `al-${id}`)).album, told(album))
    for (const song of album.song) t.match((await ours('getSong', `tr-${song.id}`)).song, told(song))
  }
})

t.test('a search finds the same', async t => {
  const ours: any = (await api.search3({ query: 'prelude', songCount: 20 })).searchResult3
  const theirs = (await asked('search3', { query: 'prelude', songCount: 20 })).searchResult3
  t.strictSame(ours.song.map(({ id }: any) => idOf(id)).sort(), theirs.song.map(({ id }: any) => id).sort())
})

t.test('the whole library is enumerated, and lists end', async t => {
  const all: any = (await api.search3({ query: '', songCount: 500, albumCount: 500, artistCount: 500 })).searchResult3
  const { album } = (await asked('getAlbumList2', { type: 'alphabeticalByName', size: 500 })).albumList2
  t.strictSame(all.album.map(({ id }: any) => idOf(id)).sort(), album.map(({ id }: any) => id).sort())
  t.equal(all.song.length, album.reduce((sum: number, { songCount }: any) => sum + songCount, 0))
  t.strictSame(((await api.search3({ query: '', songCount: 500, songOffset: 500 })) as any).searchResult3.song, [])
})

t.test('the check finds nothing wrong with a Subsonic server as a source, changes included', async t => {
  const { id } = await client.createPlaylist('Checked')
  const { findings } = await checkSource({ client, write: true })
  t.strictSame(findings, [])
  await client.deletePlaylist(id)
})

t.test('favourites and playlists are those of the server', async t => {
  const { song: [first, second] } = ((await api.search3({ query: 'prelude', songCount: 2 })) as any).searchResult3
  t.equal((await api.star({ id: first.id })).status, 'ok')
  t.strictSame((await asked('getStarred2')).starred2.song.map(({ id }: any) => id), [idOf(first.id)])
  t.equal(((await api.getStarred2()) as any).starred2.song.length, 1)
  t.equal((await api.unstar({ id: first.id })).status, 'ok')

  const made: any = (await api.createPlaylist({ name: 'Mine', songId: [first.id, second.id] })).playlist
  t.strictSame((await asked('getPlaylist', { id: idOf(made.id) })).playlist.entry.map(({ id }: any) => id), [
    idOf(first.id), idOf(second.id)
  ])
  t.equal((await api.updatePlaylist({ playlistId: made.id, name: 'Ours', songIndexToRemove: [0] })).status, 'ok')
  const { name, entry } = (await asked('getPlaylist', { id: idOf(made.id) })).playlist
  t.strictSame([name, entry.map(({ id }: any) => id)], ['Ours', [idOf(second.id)]])
  t.equal((await api.deletePlaylist({ id: made.id })).status, 'ok')
  t.strictSame((await asked('getPlaylists')).playlists.playlist ?? [], [])
})

t.test('the server takes what was heard, and says what it does not know', async t => {
  const server = createSubsonicClient({ url, ...supysonicUser })
  t.teardown(() => server.close())
  const { onPlay } = createSubsonicAdapter(server, { media: () => 'http://127.0.0.1/' })
  const { song: [{ id }] } = (await asked('search3', { query: 'prelude', songCount: 1 })).searchResult3
  const event =
    { id: 'p', account: 'one', client: 'app', startedAt: Date.now(), position: 0, state: 'playing' } as const
  await t.resolves(async () => onPlay!({ ...event, track: id, counted: false }))
  await t.resolves(async () => onPlay!({ ...event, track: id, counted: true }))
  await t.rejects(async () => onPlay!({ ...event, track: randomUUID(), counted: true }), { name: 'NotFoundError' })
})
