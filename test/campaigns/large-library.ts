import fastify, { type LightMyRequestResponse } from 'fastify'
import sourceOrigin, { type Album, type SourceAdapter, type Track } from 'fastify-source-origin'
import subsonic from 'fastify-source-origin/subsonic'
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pace } from '../../lib/library/parts-reader.ts'
import { mp3 } from '../example/make-audio.ts'
import { token } from '../helper.ts'
import { checkXml, formats, readAnswer, type Format } from '../subsonic-server/check-answer.ts'
import { queryOf, roomy, type Query } from '../subsonic-server/helper.ts'
import { BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'

/** A source that pages, and a folder: what is there, and what an account makes of it. */
export const count = 4

/** How many albums each artist has, of how many tracks each. */
const artists = { Ann: [1, 1100], Ben: [620, 1], Cy: [82, 40] } as const
const albums = Object.entries(artists).flatMap(([artist, [count, tracks]]) =>
  Array.from({ length: count }, (_empty, at) => ({ artist, name: `${artist} ${at}`, tracks })))
const songs = albums.flatMap(({ artist, name, tracks }) =>
  Array.from({ length: tracks }, (_empty, at) => ({ artist, album: name, title: `Song ${name} ${at + 1}`, at })))
const total = 5000

type Send = (path: string, form: string) => Promise<Pick<LightMyRequestResponse, 'headers' | 'body'>>

/**
 * An album of 1,100 tracks, an artist of 620 albums and lists of 5,000 are whole in every method of `/rest` that lists,
 * and the same in all of them: over a folder, and over a source that gives 100 of a list at a time.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  let round = 0
  let send: Send | undefined
  const teardowns: (() => unknown)[] = []
  const teardown = (end: () => unknown) => { teardowns.unshift(end) }
  try {
    for (const seed of rounds) {
      const isFolder = round > 1
      const isBegin = round++ % 2 === 0
      if (isBegin) send = await (isFolder ? serveFolder : servePages)(teardown)
      await (isBegin ? checkLibrary(send!, isFolder) : checkEdits(send!, seed % total)).catch(error =>
        find(`${isFolder ? 'a folder' : 'a source that pages'}: ${error.message}`))
    }
  } finally {
    for (const end of teardowns) await end()
  }
}

/** Calls of an app, whose answers are checked. */
function callsOf (send: Send) {
  const call = async (method: string, query: Query = {}, format: Format = 'json') => {
    const form = queryOf({ u: 'ada', p: token, c: 'campaign', v: '1.16.1', ...query, ...formats[format] })
    return readAnswer(format, await send(`/rest/${method}`, form) as LightMyRequestResponse)
  }
  const ask = async (method: string, query: Query = {}) => {
    const json = await call(method, query)
    assert.equal(json.status, 'ok', `${method}: ${json.error?.message}`)
    return json
  }
  const same = async (method: string, query: Query) =>
    checkXml(await call(method, query, 'xml'), await call(method, query))
  /** All pages, until one is not full. */
  const pages = async (size: number, page: (offset: number) => Promise<{ id: string }[]>) => {
    const all: any[] = []
    for (let some; some === undefined || some.length === size;) all.push(...some = await page(all.length))
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length, 'none comes twice')
    return all
  }
  return { call, ask, same, pages }
}

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)

async function checkLibrary (send: Send, isFolder: boolean): Promise<void> {
  const { ask, same, pages } = callsOf(send)
  const index = (await ask('getArtists')).artists.index.flatMap(({ artist }: any) => artist)
  assert.deepEqual(Object.fromEntries(index.map(({ name, albumCount }: any) => [name, albumCount])),
    { Ann: 1, Ben: 620, Cy: 82 })
  const folders = (await ask('getIndexes')).indexes.index.flatMap(({ artist }: any) => artist)
  assert.deepEqual(folders.map(({ albumCount }: any) => albumCount), index.map(({ albumCount }: any) => albumCount))
  assert.deepEqual(idsOf((await ask('getMusicDirectory', { id: '1' })).directory.child), idsOf(index))
  const listed = await pages(500, async offset =>
    (await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500, offset })).albumList2.album)
  assert.equal(listed.length, albums.length)
  for (const type of ['alphabeticalByArtist', 'newest', 'highest', 'byGenre', 'random']) {
    const list = async (offset: number) =>
      (await ask('getAlbumList', { type, genre: 'Rock', size: 500, offset })).albumList.album
    if (type === 'random') assert.equal((await list(0)).length, 500)
    else assert.equal((await pages(500, list)).length, albums.length, type)
  }
  for (const { id, name, albumCount } of index) {
    const { artist } = await ask('getArtist', { id })
    assert.deepEqual([artist.albumCount, artist.album.length], [albumCount, albumCount], name)
    assert.equal((await ask('getMusicDirectory', { id })).directory.child.length, albumCount, name)
    assert.equal(listed.filter(({ artistId }) => artistId === id).length, albumCount, name)
    const tracks = songs.filter(({ artist }) => artist === name).length
    assert.equal((await ask('getTopSongs', { artist: name, count: total })).topSongs.song.length, tracks, name)
    const summed = artist.album.reduce((sum: number, { songCount }: any) => sum + songCount, 0)
    assert.equal(summed, tracks, name)
  }
  const [long] = listed.filter(({ name }) => name === 'Ann 0')
  const { album } = await ask('getAlbum', { id: long.id })
  assert.deepEqual([long.songCount, album.songCount, album.song.length], [1100, 1100, 1100])
  assert.deepEqual(album.song.map(({ track }: any) => track), Array.from({ length: 1100 }, (_empty, at) => at + 1))
  assert.deepEqual(idsOf((await ask('getMusicDirectory', { id: long.id })).directory.child), idsOf(album.song))
  await same('getAlbum', { id: long.id })
  await same('getArtist', { id: index[1].id })

  const all = (await ask('search3', { query: '', songCount: 2 * total })).searchResult3.song
  assert.equal(all.length, total)
  const ids = idsOf(all)
  for (const query of ['', 'Song']) {
    const found = await pages(500, async songOffset =>
      (await ask('search3', { query, songCount: 500, songOffset, albumCount: 0, artistCount: 0 })).searchResult3.song)
    assert.deepEqual(idsOf(found).sort(), ids.toSorted(), `search3: ${query}`)
  }
  assert.equal((await pages(500, async albumOffset =>
    (await ask('search2', { query: '', albumCount: 500, albumOffset })).searchResult2.album)).length, albums.length)
  const [genre] = (await ask('getGenres')).genres.genre
  contains(genre, { value: 'Rock', songCount: total, albumCount: albums.length })
  assert.equal((await pages(500, async offset =>
    (await ask('getSongsByGenre', { genre: 'Rock', count: 500, offset })).songsByGenre.song)).length, total)
  assert.equal((await ask('getScanStatus')).scanStatus.count, total)

  const readOnly = (await ask('getPlaylists')).playlists.playlist.filter(({ songCount }: any) => songCount === total)
  assert.equal(readOnly.length, isFolder ? 2 : 1, 'the list of a file and of a genre, or a chart')
  for (const { id, duration } of readOnly) {
    const { playlist } = await ask('getPlaylist', { id })
    assert.deepEqual([playlist.songCount, playlist.entry.length, playlist.duration], [total, total, duration])
    assert.equal((await ask('getMusicDirectory', { id })).directory.child.length, total)
  }
}

/** @param place of the song that a queue of all is at */
async function checkEdits (send: Send, place: number): Promise<void> {
  const { call, ask, same, pages } = callsOf(send)
  const ids = idsOf((await ask('search3', { query: '', songCount: total })).searchResult3.song)
  const listed = await pages(500, async offset =>
    (await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500, offset })).albumList2.album)
  const { playlist: { id: playlistId } } = await ask('createPlaylist', { name: 'Own', songId: ids })
  const own = async (wanted: readonly string[], what: string) => {
    const { playlist } = await ask('getPlaylist', { id: playlistId })
    assert.equal(playlist.songCount, wanted.length, what)
    // As one text: the difference of long lists takes long to find.
    assert.ok(idsOf(playlist.entry).join() === wanted.join(), what)
    const { playlist: shown } = (await ask('getPlaylists')).playlists
    contains(shown.find(({ id }: any) => id === playlistId), { songCount: wanted.length, duration: playlist.duration })
  }
  await own(ids, 'a new list')
  await same('getPlaylist', { id: playlistId })
  const gone = [0, 999, 1000, 1250, 4999]
  await ask('updatePlaylist', { playlistId, songIndexToRemove: gone })
  const left = ids.filter((_id, at) => !gone.includes(at))
  await own(left, 'without some')
  assert.equal((await call('updatePlaylist', { playlistId, songIndexToRemove: [1, left.length] })).error.code, 10)
  await ask('updatePlaylist', { playlistId, songIdToAdd: gone.map(at => ids[at]!) })
  await own([...left, ...gone.map(at => ids[at]!)], 'with them at the end')
  await ask('createPlaylist', { playlistId, songId: ids.toReversed() })
  await own(ids.toReversed(), 'turned round')
  await ask('updatePlaylist', { playlistId, songIndexToRemove: Array.from({ length: 4990 }, (_empty, at) => at) })
  await own(ids.slice(0, 10).toReversed(), 'without the first 4990')
  await ask('createPlaylist', { playlistId, songId: ids.slice(0, 2) })
  await own(ids.slice(0, 2), 'two')

  await ask('star', { id: ids, albumId: idsOf(listed) })
  const { starred2 } = await ask('getStarred2')
  assert.deepEqual([starred2.song.length, starred2.album.length], [total, albums.length])
  assert.equal((await ask('getStarred')).starred.song.length, total)
  assert.equal((await pages(500, async offset =>
    (await ask('getAlbumList2', { type: 'starred', size: 500, offset })).albumList2.album)).length, albums.length)
  await ask('unstar', { id: ids.slice(1) })
  assert.deepEqual(idsOf((await ask('getStarred2')).starred2.song), ids.slice(0, 1))

  await ask('savePlayQueue', { id: ids, current: ids[place]!, position: 7 })
  const { playQueue } = await ask('getPlayQueue')
  assert.deepEqual([playQueue.entry.length, playQueue.current, playQueue.position], [total, ids[place], 7])
  const { playQueueByIndex } = await ask('getPlayQueueByIndex')
  assert.deepEqual([playQueueByIndex.entry.length, playQueueByIndex.currentIndex], [total, place])
}

const contains = (value: any, members: object) =>
  assert.deepEqual(Object.fromEntries(Object.keys(members).map(name => [name, value?.[name]])), members)

async function serveFolder (teardown: (end: () => unknown) => void): Promise<Send> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-large-library-'))
  teardown(() => rmSync(root, { recursive: true }))
  const env = { MUSIC_DIR: join(root, 'music'), DATA_DIR: join(root, 'data'), GENRE_PLAYLISTS: 'true' }
  const paths = songs.map(({ artist, album, title, at }) => {
    const path = `${album}/${at + 1}.mp3`
    const file = join(env.MUSIC_DIR, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, mp3({ title, artist, album, track: `${at + 1}`, genre: 'Rock' }, { seconds: 0.02 }))
    return path
  })
  writeFileSync(join(env.MUSIC_DIR, 'Long.m3u8'), paths.join('\n'))
  const example = await BuiltExample.start(env)
  teardown(() => example.kill())
  const send: Send = async (path, body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await example.fetch(path, { method: 'POST', headers, body })
    return { headers: Object.fromEntries(response.headers), body: await response.text() }
  }
  // It waits for a long scan only for a while.
  const status = queryOf({ u: 'ada', p: token, f: 'json' })
  while (JSON.parse((await send('/rest/getScanStatus', status)).body)['subsonic-response'].scanStatus.scanning) {
    await sleep(100)
  }
  return send
}

async function servePages (teardown: (end: () => unknown) => void): Promise<Send> {
  const most = 100
  const albumsById = new Map<string, Album>(albums.map(({ artist, name, tracks }) =>
    [name, { id: name, name, coverUrl: '', artistName: artist, trackCount: tracks, genre: 'Rock' }]))
  const tracks = new Map<string, Track>(songs.map(({ artist, album, title }) => [title, {
    id: title, title, artists: [{ id: artist, name: artist }], album: albumsById.get(album)!, durationMs: 1000
  }]))
  const own: { id: string, name: string, ids: string[] }[] = []
  const favorites = { track: new Set<string>(), album: new Set<string>() }
  const page = <T>(items: readonly T[], offset: number, limit: number) => {
    const some = items.slice(offset, offset + Math.min(limit, most))
    return { items: some, offset, limit, hasMore: offset + some.length < items.length }
  }
  const some = <T>(items: readonly T[], limit: number) => items.slice(0, limit === -1 ? most : limit)
  const trackOf = (id: string) => tracks.get(id)!
  const setFavorite = (kind: keyof typeof favorites) => (id: string, status: boolean) => {
    favorites[kind][status ? 'add' : 'delete'](id)
    return { success: true, status }
  }
  const ownOf = (id: string) => own.find(list => list.id === id)!
  const adapter: SourceAdapter = {
    userArtists: () => Object.keys(artists).map(name => ({ id: name, name })),
    userAlbums: () => [...albumsById.values()],
    userFavoriteTracks: () => [...favorites.track].map(trackOf),
    getArtistDetail: id => ({ id, name: id, tracks: [] }),
    getArtistAlbums: (id, offset, limit) =>
      page([...albumsById.values()].filter(({ artistName }) => artistName === id), offset, limit),
    getArtistTracks: (id, _order, offset, limit) =>
      page([...tracks.values()].filter(({ artists: [artist] }) => artist?.id === id), offset, limit),
    getAlbumDetail: (id, limit) =>
      ({ ...albumsById.get(id)!, tracks: some([...tracks.values()].filter(({ album }) => album.id === id), limit) }),
    getTrackDetail: trackOf,
    searchTracks: (_keyword, offset, limit) => page([...tracks.values()], offset, limit),
    getToplist: () => [{
      name: 'Charts', list: [{ id: 'chart', name: 'Chart', coverUrl: '', updateFrequency: 'never', tracks: [] }]
    }],
    getToplistTracks: (id, offset, limit) => ({
      id, name: 'Chart', trackCount: total, tracks: page([...tracks.values()], offset, limit).items
    }),
    getUserPlaylist: () => own.map(({ ids, ...list }) => ({ ...list, trackCount: ids.length })),
    getPlaylistDetail (id, limit) {
      const { ids, ...list } = ownOf(id)
      return { ...list, trackCount: ids.length, tracks: some(ids, limit).map(trackOf) }
    },
    createPlaylist (name) {
      own.push({ id: 'own', name, ids: [] })
      return { id: 'own', name }
    },
    deletePlaylist: () => ({ success: true }),
    updatePlaylist: (id, name) => ({ id, name }),
    addTrackToPlaylist (id, track) {
      ownOf(id).ids.push(track)
      return { success: true }
    },
    removeTrack (id, track) {
      const list = ownOf(id)
      list.ids = list.ids.filter(other => other !== track)
      return { success: true }
    },
    favoriteTrack: setFavorite('track'),
    favoriteAlbum: setFavorite('album')
  }
  const app = fastify(roomy)
  teardown(() => app.close())
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => authorization === token ? { adapter, stateless: false } : null,
    validateResponses: false
  })
  // The source is in memory, so its calls need no pauses.
  Object.assign(pace, { between: 0 })
  await app.register(subsonic, { resolveLogin: ({ verify }) => verify(token) ? token : null })
  return (url, payload) => app.inject({
    method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload
  })
}
