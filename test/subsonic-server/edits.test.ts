import { extras, NotFoundError, RateLimitedError, type SourceAdapter, type Track } from 'fastify-source-origin'
import t, { type Test } from 'tap'
import type { FastifyHttpOptions } from 'fastify'
import type { Server } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { editPlaylist } from '../../lib/source/edit-playlist.ts'
import { ask, roomy, serve, type Query } from './helper.ts'

const track = (id: string): Track => ({
  id, title: id, artists: [{ id: 'a', name: 'A' }], album: { id: 'b', name: 'B', coverUrl: '' }, durationMs: 1000
})

/** Only methods of the contract; `lost` are ids of tracks whose files are gone, `failing` of calls that fail. */
async function source (t: Test, more: SourceAdapter = {}, shown = 1000, lines: object[] = []) {
  let playlists: { id: string, name: string, description: string, tracks: string[] }[] =
    [{ id: 'p', name: 'P', description: 'D', tracks: ['a', 'b', 'c', 'd'] }]
  const lost = new Set<string>()
  const failing = new Map<string, unknown>()
  const calls: string[] = []
  const find = (id: string) => {
    const found = playlists.find(playlist => playlist.id === id)
    if (found === undefined) throw new NotFoundError('Playlist not found')
    return found
  }
  const call = (name: string) => {
    calls.push(name)
    const error = failing.get(name)
    // It works again when it is asked for the next time.
    if (failing.delete(name)) throw error
  }
  const adapter: SourceAdapter = {
    getTrackDetail (id) {
      if (lost.has(id)) throw new NotFoundError('gone')
      return track(id)
    },
    getUserPlaylist: () => playlists.map(({ tracks, ...playlist }) => playlist),
    getPlaylistDetail (id, limit) {
      const { tracks, ...playlist } = find(id)
      const some = tracks.slice(0, limit === -1 ? shown : Math.min(limit, 1000))
      return { ...playlist, trackCount: tracks.length, tracks: some.map(track) }
    },
    createPlaylist (name) {
      call(`create ${name}`)
      const made = { id: `p${playlists.length}`, name, description: '' }
      playlists.push({ ...made, tracks: [] })
      return made
    },
    updatePlaylist (id, name, description) {
      call(`update ${name}`)
      return Object.assign(find(id), { name, description }) && { id, name, description }
    },
    deletePlaylist (id) {
      call(`delete ${id}`)
      playlists = playlists.filter(playlist => playlist.id !== id)
      return { success: true }
    },
    addTrackToPlaylist (id, trackId) {
      call(`+${trackId}`)
      if (lost.has(trackId)) throw new NotFoundError('Track not found')
      find(id).tracks.push(trackId)
      return { success: true }
    },
    removeTrack (id, trackId) {
      call(`-${trackId}`)
      const found = find(id)
      found.tracks = found.tracks.filter(other => other !== trackId)
      return { success: true }
    },
    ...more
  }
  const logger = { level: 'warn', stream: { write: (line: string) => lines.push(JSON.parse(line)) } }
  const app = await serve(t, { adapter }, { ...roomy, logger } as FastifyHttpOptions<Server>)
  const edit = (method: string, query: Query) => ask(app, method, query)
  const state = () => playlists.map(({ id, name, tracks }) => [id, name, ...tracks])
  return { edit, lost, failing, calls, state }
}

const before = [['p', 'P', 'a', 'b', 'c', 'd']]

t.test('an unknown track is named, and nothing changes', async t => {
  const { edit, lost, calls, state } = await source(t)
  lost.add('x')
  for (const [method, query] of [
    ['createPlaylist', { playlistId: 'pl-p', songId: ['tr-d', 'tr-x', 'tr-a'] }],
    ['createPlaylist', { name: 'New', songId: ['tr-a', 'tr-x'] }],
    ['updatePlaylist', { playlistId: 'pl-p', name: 'Q', songIndexToRemove: 0, songIdToAdd: ['tr-e', 'tr-x'] }]
  ] as const) t.match(await edit(method, query), { error: { code: 70, message: 'Track not found: x' } })
  t.match(await edit('updatePlaylist', { playlistId: 'pl-p', songIndexToRemove: [0, 4] }),
    { error: { code: 10, message: 'This playlist has no track at the place 4' } })
  t.match(await edit('updatePlaylist', { playlistId: 'pl-p', songIndexToRemove: [0, 'x'] }), { error: { code: 10 } })
  t.strictSame([calls, state()], [[], before])
})

t.test('a list is never made public, and a source makes one with a description or without a name', async t => {
  const { edit, calls } = await source(t)
  t.match(await edit('updatePlaylist', { playlistId: 'pl-p', public: 'true' }), { error: { code: 50 } })
  t.strictSame(calls, [])
  const changes: unknown[] = []
  const asking = {
    has: () => false,
    share () {},
    change: async (...change: unknown[]) => { changes.push(change); return { id: 'new', name: '' } }
  } as unknown as Parameters<typeof editPlaylist>[0]
  await editPlaylist(asking, { description: 'D' })
  t.strictSame(changes, [['createPlaylist', ''], ['updatePlaylist', 'new', '', 'D']])
})

t.test('what the list has already may stay where it is, though its file is gone', async t => {
  const { edit, lost, state } = await source(t)
  lost.add('b')
  const put = (...songId: string[]) => edit('createPlaylist', { playlistId: 'pl-p', songId })
  t.equal((await put('tr-a', 'tr-b', 'tr-e', 'tr-d')).status, 'ok')
  t.strictSame(state(), [['p', 'P', 'a', 'b', 'e', 'd']])
  t.equal((await edit('updatePlaylist', { playlistId: 'pl-p', songIdToAdd: ['tr-f'] })).status, 'ok')
  t.strictSame(state(), [['p', 'P', 'a', 'b', 'e', 'd', 'f']])
  t.match(await edit('updatePlaylist', { playlistId: 'pl-p', songIdToAdd: ['tr-f', 'tr-b'] }), { error: { code: 70 } })
  t.match(await put('tr-d', 'tr-b'), { error: { code: 70 } })
  t.strictSame(state(), [['p', 'P', 'a', 'b', 'e', 'd', 'f']], 'it cannot be put elsewhere')
  t.equal((await edit('updatePlaylist', { playlistId: 'pl-p', songIndexToRemove: 1 })).status, 'ok')
  t.strictSame(state(), [['p', 'P', 'a', 'e', 'd', 'f']])
})

t.test('what was done is taken back when a part fails', async t => {
  const { edit, failing, state } = await source(t)
  for (const [name, method, query] of [
    ['+b', 'createPlaylist', { playlistId: 'pl-p', songId: ['tr-d', 'tr-c', 'tr-b', 'tr-a'], name: 'Q' }],
    ['update Q', 'createPlaylist', { playlistId: 'pl-p', songId: ['tr-d', 'tr-a'], name: 'Q' }],
    ['+f', 'updatePlaylist', { playlistId: 'pl-p', songIdToAdd: ['tr-e', 'tr-f'], songIndexToRemove: [1] }],
    ['-c', 'updatePlaylist', { playlistId: 'pl-p', songIndexToRemove: [1, 2] }],
    ['+f', 'createPlaylist', { name: 'New', songId: ['tr-e', 'tr-f'] }]
  ] as const) {
    failing.set(name, new RateLimitedError('Too many'))
    t.match(await edit(method, query), { error: { message: /^Too many/ } }, name)
    t.strictSame(state(), before, name)
  }
})

t.test('what cannot be taken back is in the log', async t => {
  const lines: Record<string, any>[] = []
  const { edit, failing, calls } = await source(t, {}, 1000, lines)
  failing.set('+f', new RateLimitedError('Too many'))
  failing.set('-e', new RateLimitedError('Too many'))
  t.match(await edit('updatePlaylist', { playlistId: 'pl-p', songIdToAdd: ['tr-e', 'tr-f'] }),
    { error: { message: 'Too many: f' } })
  t.strictSame(calls, ['+e', '+f', '-e'])
  t.match(lines.map(({ msg }) => msg), ['rollback failed'])
})

t.test('a list that the source shows a part of is asked for whole, or not changed', async t => {
  const some = await source(t, {}, 2)
  t.equal((await some.edit('updatePlaylist', { playlistId: 'pl-p', songIndexToRemove: 3 })).status, 'ok')
  t.strictSame(some.state(), [['p', 'P', 'a', 'b', 'c']])
  const cut = await source(t, {
    getPlaylistDetail: id => ({ id, name: 'P', trackCount: 4, tracks: [track('a')] })
  })
  t.match(await cut.edit('updatePlaylist', { playlistId: 'pl-p', songIndexToRemove: 0 }),
    { error: { message: /does not show all of its tracks/ } })
  t.strictSame([cut.calls, cut.state()], [[], before])
})

t.test('favourites are set together, and taken back together, but for what was one before', async t => {
  const favourites = new Set(['a'])
  const changes: string[] = []
  const favor = (id: string, status: boolean) => {
    changes.push(`${status ? '+' : '-'}${id}`)
    if (id === 'bad') throw new RateLimitedError('Too many')
    if (id === 'no') return { success: false, status }
    favourites[status ? 'add' : 'delete'](id)
    return { success: true, status }
  }
  const { edit, lost } = await source(t, {
    favoriteTrack: favor,
    favoriteAlbum: favor,
    userFavoriteTracks: () => [...favourites].map(track),
    getAlbumDetail: id => ({ id, name: id, coverUrl: '', favorite: id === 'old', tracks: [] })
  })
  lost.add('x')
  t.match(await edit('star', { id: ['tr-b', 'tr-x'] }), { error: { code: 70, message: 'Track not found: x' } })
  t.match(await edit('star', { id: ['tr-b'], artistId: 'ar-1' }), { error: { code: 50 } })
  t.strictSame(changes, [], 'nothing was tried')
  t.match(await edit('star', { id: ['tr-a', 'tr-b'], albumId: ['al-old', 'al-no'] }),
    { error: { code: 50, message: 'The source refused that: no' } })
  t.strictSame(changes.splice(0), ['+a', '+b', '+old', '+no', '-b'])
  t.match(await edit('unstar', { id: ['tr-a', 'tr-x', 'tr-bad'] }), { error: { message: 'Too many: bad' } })
  t.strictSame([changes, [...favourites]], [['-a', '-x', '-bad', '+a'], ['old', 'a']])
})

t.test('a source changes several things by its own methods', async t => {
  const changes: unknown[] = []
  const { edit, calls } = await source(t, {
    editPlaylist (edit) {
      changes.push(edit)
      return { id: edit.id ?? 'p', name: 'P' }
    },
    setFavorites (items, status) {
      changes.push([items, status])
      return { success: items.length < 3 }
    }
  })
  t.match(await edit('createPlaylist', { name: 'N', songId: ['tr-a', 'tr-b'] }), { playlist: { id: 'pl-p' } })
  await edit('createPlaylist', { playlistId: 'pl-p', songId: 'tr-d' })
  await edit('updatePlaylist', { playlistId: 'pl-p', name: 'M', songIndexToRemove: 2, songIdToAdd: 'tr-e' })
  t.match(changes.splice(0), [
    { name: 'N', tracks: ['a', 'b'] }, { id: 'p', tracks: ['d'] }, { id: 'p', name: 'M', remove: [2], add: ['e'] }
  ])
  t.equal((await edit('star', { id: ['tr-a', 'al-b'] })).status, 'ok')
  t.match(await edit('unstar', { id: ['tr-a', 'al-b', 'ar-c'] }), { error: { code: 50 } })
  const [track, album, artist] = [{ kind: 'track', id: 'a' }, { kind: 'album', id: 'b' }, { kind: 'artist', id: 'c' }]
  t.strictSame([changes, calls], [[[[track, album], true], [[track, album, artist], false]], []])
})

t.test('an album and an artist are whole, whatever number a source chooses', async t => {
  const albums = Array.from({ length: 620 }, (_empty, index) => ({ id: `b${index}`, name: 'B', coverUrl: '' }))
  const tracks = Array.from({ length: 1100 }, (_empty, index) => track(`t${index}`))
  const limits: number[] = []
  const { edit } = await source(t, {
    getAlbumDetail (id, limit) {
      limits.push(limit)
      return { ...albums[0]!, id, trackCount: 1100, tracks: tracks.slice(0, limit === -1 ? 20 : limit) }
    },
    getArtistDetail: id => ({ id, name: 'A', tracks: [] }),
    getArtistAlbums: (_id, offset, limit) =>
      ({ items: albums.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < 620 }),
    getArtistTracks: (_id, _order, offset, limit) =>
      ({ items: tracks.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < 1100 })
  })
  t.equal((await edit('getAlbum', { id: 'al-b0' })).album.song.length, 1100)
  t.strictSame(limits, [-1, 1100])
  const { albumCount, album } = (await edit('getArtist', { id: 'ar-a' })).artist
  t.strictSame([albumCount, album.length], [620, 620])
  t.equal((await edit('getMusicDirectory', { id: 'ar-a' })).directory.child.length, 620)
  t.equal((await edit('getTopSongs', { id: 'ar-a', count: 900 })).topSongs.song.length, 900)
})

t.test('newest is by the time of addition, highest by the rating of the account', async t => {
  const added = new Map([['a', 2000], ['b', 3000], ['c', 1000]])
  // Without a time of addition the date counts, and without one the album is the last.
  const albums = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) =>
    ({
      id,
      name: id,
      coverUrl: '',
      ...index < 4 && { publishTime: 3 - index },
      ...added.has(id) && { [extras]: { created: new Date(added.get(id)!).toISOString() } }
    }))
  const app = await serve(t, { library: () => ({ albums }) })
  const list = async (type: string) =>
    (await ask(app, 'getAlbumList2', { type })).albumList2.album.map(({ id }: { id: string }) => id)
  t.strictSame(await list('newest'), ['al-b', 'al-a', 'al-c', 'al-d', 'al-e', 'al-f'])
  t.strictSame(await list('highest'), ['al-a', 'al-b', 'al-c', 'al-d', 'al-e', 'al-f'])
  for (const [id, rating] of [['al-c', 3], ['al-a', 5]]) await ask(app, 'setRating', { id, rating })
  t.strictSame(await list('highest'), ['al-a', 'al-c', 'al-b', 'al-d', 'al-e', 'al-f'])
  for (const id of ['tr-x', 'al-x', 'ar-x', 'pl-x']) {
    t.match(await ask(app, 'setRating', { id, rating: 3 }), { error: { code: 70 } }, id)
    t.match(await ask(app, 'setRating', { id, rating: 0 }), { status: 'ok' }, 'what is gone may lose its rating')
  }
})

t.test('edits of a playlist at the same time neither lose nor add copies', async t => {
  const { edit, state } = await source(t, {
    async getTrackDetail (id) {
      await setImmediate()
      return track(id)
    }
  })
  await edit('createPlaylist', { playlistId: 'pl-p', songId: ['tr-a', 'tr-b', 'tr-a', 'tr-a', 'tr-a'] })
  const edits = [0, 0, 0, 0].map(songIndexToRemove => edit('updatePlaylist', { playlistId: 'pl-p', songIndexToRemove }))
  t.match(await Promise.all(edits), edits.map(() => ({ status: 'ok' })))
  t.strictSame(state(), [['p', 'P', 'a']])
})
