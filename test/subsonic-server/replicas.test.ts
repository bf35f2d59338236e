import fastify, { type FastifyInstance } from 'fastify'
import sourceOrigin, { extras, type SourceAdapter, type Track } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import subsonic from 'fastify-source-origin/subsonic'
import t, { type Test } from 'tap'
import { ask, roomy, storeIn, token } from './helper.ts'
import { albumOf, trackOf } from './library.ts'

// Two processes with one source, of which neither tells the other what it has changed: the revision does.

/** What the source keeps of the account. */
class Kept {
  revision = 0
  readonly starred = new Map<string, string>()
  tracks: Track[] = [trackOf(0, 0)]
  readonly texts = new Map<string, string | undefined>()
  plays = [{ id: 't0-0', plays: 1, last: 5 }]
}

const now = '2024-05-06T07:08:09.000Z'

function adapterOf (kept: Kept, more: object): SourceAdapter {
  const tell = <T extends { id: string }>(item: T) => {
    const starred = kept.starred.get(item.id)
    return { ...item, favorite: starred !== undefined, [extras]: starred === undefined ? {} : { starred } }
  }
  const star = async (id: string, status: boolean) => {
    if (status) kept.starred.set(id, now)
    else kept.starred.delete(id)
    kept.revision++
    return { success: true, status }
  }
  const playlist = { id: 'p', name: 'List', coverUrl: '', creator: { id: 'ann', name: 'Ann', avatarUrl: '' } }
  return {
    getUserMe: () => ({ id: 'ann', name: 'Ann', avatar: '' }),
    getTrackDetail: () => tell(trackOf(0, 0)),
    getAlbumDetail: () => ({ ...tell(albumOf(0)), tracks: [tell(trackOf(0, 0))] }),
    favoriteTrack: star,
    favoriteAlbum: star,
    userFavoriteTracks: () => kept.starred.has('t0-0') ? [tell(trackOf(0, 0))] : [],
    getUserPlaylist: () => [{ ...playlist, trackCount: kept.tracks.length }],
    getPlaylistDetail: () => ({ ...playlist, tracks: kept.tracks }),
    getPlays: () => kept.plays,
    ...more
  } as object as SourceAdapter
}

async function startTwo (t: Test, more: object = {}) {
  const kept = new Kept()
  const startOne = async () => {
    const app = fastify(roomy)
    t.teardown(() => app.close())
    await app.register(sourceOrigin, {
      cache: createSourceCache(),
      resolveContext: ({ authorization }) => authorization === token
        ? { adapter: adapterOf(kept, more), stateless: false, account: 'ann', revision: String(kept.revision) }
        : null
    })
    await app.register(subsonic, { store: storeIn(kept.texts) })
    return app
  }
  return { kept, one: await startOne(), other: await startOne() }
}

async function starsOf (app: FastifyInstance) {
  const { song } = await ask(app, 'getSong', { id: 'tr-t0-0' })
  const { album } = await ask(app, 'getAlbum', { id: 'al-b0' })
  const { starred2 } = await ask(app, 'getStarred2')
  return [song.starred, starred2.song[0]?.starred, album.starred]
}

for (const [title, more] of [
  ['lists its favourites', {}],
  ['lists none', { userFavoriteTracks: undefined }]
] as const) {
  t.test(`what is starred at one and unstarred at the other is so at both, at once, where the source ${title}`, async t => {
    const { one, other } = await startTwo(t, more)
    const listed = 'userFavoriteTracks' in more ? undefined : now
    for (const app of [one, other]) t.strictSame(await starsOf(app), [undefined, undefined, undefined])
    t.match(await ask(one, 'star', { id: 'tr-t0-0', albumId: 'al-b0' }), { status: 'ok' })
    for (const app of [one, other]) t.strictSame(await starsOf(app), [now, listed, now])
    t.match(await ask(other, 'unstar', { id: 'tr-t0-0', albumId: 'al-b0' }), { status: 'ok' })
    for (const app of [one, other]) t.strictSame(await starsOf(app), [undefined, undefined, undefined])
  })
}

t.test('a playlist that another replica has changed has its new length in the list', async t => {
  const { kept, one } = await startTwo(t)
  const listed = async () => {
    const { playlists: { playlist: [first] } } = await ask(one, 'getPlaylists')
    return [first.songCount, first.duration]
  }
  t.strictSame(await listed(), [1, 60])
  kept.tracks = [trackOf(0, 0), trackOf(0, 1)]
  kept.revision++
  t.strictSame(await listed(), [2, 120])
})

t.test('plays are those of the source as soon as the account has another revision', async t => {
  const { kept, one } = await startTwo(t)
  const plays = async () => (await ask(one, 'getSong', { id: 'tr-t0-0' })).song.playCount
  t.equal(await plays(), 1)
  kept.plays = []
  kept.revision++
  t.equal(await plays(), 0)
})
