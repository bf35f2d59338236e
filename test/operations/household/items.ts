import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Test } from 'tap'
import { pathOf } from '../../example/helper.ts'
import { until } from './until.ts'
import { fileOf, type Home } from './house.ts'
import { fetchUrl } from './listener.ts'
import { countNames, type Found } from './find.ts'
import { music } from './music.ts'
import { isCoverOf, secondsOf } from './sounds.ts'

/** What is tried with one item: what must hold, as an assertion or as an error that is thrown. */
type Try = (t: Test, house: Home, found: Found) => Promise<unknown>

const q = encodeURIComponent
/** Titles of items. */
export const titles = (items: readonly any[]): string[] => items.map(({ title }) => title)
/** Whether a song is among items. */
export const isIn = (items: readonly any[], { song }: Found) => titles(items).includes(song.title)
const onAlbum = ({ source, song }: Found) =>
  music[source].filter(({ album }) => album === song.album).map(({ title }) => title)

/** Seconds that two lengths of audio may differ by. */
const near = (seconds: number, expected: number) => Math.abs(seconds - expected) < 1

export const reading: Record<string, Try> = {
  'track, album and artist by /v1': async (t, { owner }, found) => {
    const { track, song } = found
    t.equal((await owner.data(`/v1/track?id=${q(track.id)}`)).title, song.title)
    const album = await owner.data(`/v1/album/detail?id=${q(track.album.id)}`)
    t.strictSame([album.name, titles(album.tracks)], [song.album, onAlbum(found)])
    const [artist] = track.artists
    t.equal((await owner.data(`/v1/artist/detail?id=${q(artist.id)}`)).name, song.artist)
    const albums = await owner.data(`/v1/artist/albums?id=${q(artist.id)}`)
    t.ok(albums.items.some(({ name }: any) => name === song.album))
    const tracks = await owner.data(`/v1/artist/tracks?id=${q(artist.id)}&limit=100`)
    t.ok(isIn(tracks.items, found))
  },
  'song, album, artist and folders by /rest': async (t, { owner }, found) => {
    const { entry, song } = found
    t.equal((await owner.rest('getSong', { id: entry.id })).song.title, song.title)
    const { album } = await owner.rest('getAlbum', { id: entry.albumId })
    t.strictSame([album.name, titles(album.song)], [song.album, onAlbum(found)])
    const { artist } = await owner.rest('getArtist', { id: entry.artistId })
    t.ok(artist.album.some(({ name }: any) => name === song.album))
    const { directory } = await owner.rest('getMusicDirectory', { id: entry.albumId })
    t.strictSame(titles(directory.child), onAlbum(found))
  },
  'similar songs, top songs, lyrics and texts are answered': async (t, { owner }, { track, entry, song }) => {
    t.type(await owner.data(`/v1/track/similar?id=${q(track.id)}`), Array)
    const lyrics = await owner.ask(`/v1/track/lyrics?id=${q(track.id)}`)
    t.ok([200, 404].includes(lyrics.status), String(lyrics.body))
    for (const method of ['getSimilarSongs2', 'getLyricsBySongId', 'getAlbumInfo2'] as const) {
      await owner.rest(method, { id: method === 'getAlbumInfo2' ? entry.albumId : entry.id })
    }
    await owner.rest('getArtistInfo2', { id: entry.artistId })
    await owner.rest('getTopSongs', { artist: song.artist })
  },
  'extras of the page are answered': async (t, { owner }, { track }) => {
    t.type((await owner.data(`/page/extras?album=${q(track.album.id)}`)).tracks, Object)
  }
}

export const media: Record<string, Try> = {
  'the audio of /v1 is the file, whole and in part': async (t, house, { track, song, source }) => {
    const file = await readFile(fileOf(house, source, song.title))
    const { url } = await house.owner.data(`/v1/track/url?id=${q(track.id)}`)
    const { status, body } = await fetchUrl(url)
    t.equal(status, 200, String(body.subarray(0, 200)))
    t.ok(body.equals(file))
    const part = await fetchUrl(url, { range: 'bytes=1000-1999' })
    t.equal(part.status, 206)
    t.ok(part.body.equals(file.subarray(1000, 2000)))
  },
  'each quality of /v1 plays': async (t, { owner }, { track, song }) => {
    const { qualities } = await owner.data(`/v1/track?id=${q(track.id)}`)
    t.ok(qualities.length > 0)
    for (const { key } of qualities) {
      const { url } = await owner.data(`/v1/track/url?id=${q(track.id)}&quality=${q(key)}`)
      const seconds = await secondsOf(await fetchUrl(url))
      t.ok(near(seconds, song.seconds), `${key}: ${seconds} s`)
    }
  },
  'stream, raw': async (t, house, { entry, song, source }) => {
    const { status, body } = await house.owner.askRest('stream', { id: entry.id, format: 'raw' })
    t.equal(status, 200, String(body.subarray(0, 200)))
    t.ok(body.equals(await readFile(fileOf(house, source, song.title))))
  },
  'stream with maxBitRate': async (t, { owner }, { entry, song }) => {
    const answer = await owner.askRest('stream', { id: entry.id, maxBitRate: 48, format: 'mp3' })
    const seconds = await secondsOf(answer)
    t.ok(near(seconds, song.seconds), `${seconds} s`)
    const rate = answer.body.length * 8 / seconds / 1000
    t.ok(rate < 60, `${rate} kbit/s`)
  },
  'stream with timeOffset': async (t, { owner }, { entry, song }) => {
    const seconds = await secondsOf(await owner.askRest('stream', { id: entry.id, timeOffset: 4, format: 'mp3' }))
    t.ok(near(seconds, song.seconds - 4), `${seconds} s`)
  },
  download: async (t, house, { entry, song, source }) => {
    const { status, body } = await house.owner.askRest('download', { id: entry.id })
    t.equal(status, 200, String(body.subarray(0, 200)))
    t.ok(body.equals(await readFile(fileOf(house, source, song.title))))
  },
  'the cover by /v1': async (t, { owner }, { track, song }) => {
    const { coverUrl } = await owner.data(`/v1/album/detail?id=${q(track.album.id)}`)
    t.ok(await isCoverOf(song.album, await fetchUrl(coverUrl)))
  },
  'the cover by /rest, whole and small': async (t, { owner }, { entry, song }) => {
    for (const query of [{}, { size: 64 }]) {
      t.ok(await isCoverOf(song.album, await owner.askRest('getCoverArt', { id: entry.coverArt, ...query })))
    }
  },
  'the cover in the size of the page, where it is on this server': async (t, { owner }, { track, song }) => {
    const { coverUrl } = await owner.data(`/v1/album/detail?id=${q(track.album.id)}`)
    if (new URL(coverUrl).origin !== owner.origin) return t.pass('the browser loads it')
    t.ok(await isCoverOf(song.album, await owner.ask(`/page/cover?of=${q(pathOf(coverUrl))}&size=64`)))
  }
}

/** What the owner has at the server of an item, as that tells it. */
const starredThere = async ({ owner, there }: Home, { source, song }: Found): Promise<boolean> => {
  const listener = { home: owner, ...there }[source]
  const { starred2 } = await listener.rest('getStarred2')
  return isIn(starred2.song ?? [], { song } as Found)
}

export const changing: Record<string, Try> = {
  'a favourite by /v1 is one at its server, and takes nothing out of the library': async (t, house, found) => {
    const { owner } = house
    const { track } = found
    const size = async () => countNames(JSON.stringify(await owner.rest('search3', {
      query: '', songCount: 500, albumCount: 500, artistCount: 500
    })))
    const before = await size()
    for (const status of [true, false]) {
      t.match(await owner.data('/v1/track/favorite', { id: track.id, status }), { success: true, status })
      t.equal((await owner.data(`/v1/track?id=${q(track.id)}`)).favorite ?? false, status)
      t.equal(isIn(await owner.data('/v1/user/favorite/tracks'), found), status)
      t.equal(isIn((await owner.rest('getStarred2')).starred2.song, found), status)
      t.equal(await starredThere(house, found), status)
      const now = await size()
      for (const [source, count] of Object.entries(now)) {
        t.ok(count >= before[found.source] || source !== found.source, `${count} of ${source}, ${status}`)
      }
    }
  },
  'a favourite by /rest, of a song, an album and an artist': async (t, { owner }, found) => {
    const { id, albumId, artistId } = found.entry
    const query = { id, albumId, artistId }
    for (const method of ['star', 'unstar'] as const) {
      await owner.rest(method, query)
      const { starred2 } = await owner.rest('getStarred2')
      const has = [starred2.song, starred2.album, starred2.artist].map((items: any[], at) =>
        items.some(item => item.id === [id, albumId, artistId][at]))
      t.strictSame(has, Array(3).fill(method === 'star'), method)
      const albums = await owner.data('/v1/user/album/list')
      t.equal(albums.some(({ name }: any) => name === found.song.album), method === 'star')
    }
  },
  'stars from one to five, by /rest and the page': async (t, { owner }, { track, entry }) => {
    await owner.rest('setRating', { id: entry.id, rating: 4 })
    t.equal((await owner.rest('getSong', { id: entry.id })).song.userRating, 4)
    t.strictSame((await owner.data(`/page/ratings?track=${q(track.id)}`)).ratings, { [track.id]: 4 })
    await owner.data('/page/ratings', { track: track.id, rating: 0 })
    t.equal((await owner.rest('getSong', { id: entry.id })).song.userRating, undefined)
  },
  'a play of an app counts': async (t, { owner }, found) => {
    const played = async () => (await owner.rest('getSong', { id: found.entry.id })).song
    const { playCount: before = 0 } = await played()
    await owner.rest('scrobble', { id: found.entry.id, time: Date.now() - 60_000 })
    // Supysonic tells of no plays, and neither does the source of a friend.
    if (found.source === 'subsonic' || found.source === 'friend') return
    await until(async () => (await played()).playCount !== before, 3000)
    t.match(await played(), { playCount: before + 1, played: String })
  },
  'a play of the page is in the lists of apps': async (t, { owner }, found) => {
    await owner.data('/page/plays', playOf(found))
    for (const type of ['recent', 'frequent']) {
      const { albumList2 } = await owner.rest('getAlbumList2', { type, size: 500 })
      t.ok(albumList2.album.some(({ name }: any) => name === found.song.album), type)
    }
  },
  'a play of the page is the last one there': async (t, { owner }, found) => {
    await owner.data('/page/plays', playOf(found))
    const { items } = await owner.data('/page/plays')
    t.equal(items?.[0]?.title, found.song.title)
  },
  'what plays now is seen': async (t, { owner }, found) => {
    await owner.rest('scrobble', { id: found.entry.id, submission: 'false' })
    t.ok(isIn((await owner.rest('getNowPlaying')).nowPlaying.entry, found))
  },
  'a bookmark stays': async (t, { owner }, { entry, song }) => {
    await owner.rest('createBookmark', { id: entry.id, position: 3000, comment: 'here' })
    const { bookmark } = (await owner.rest('getBookmarks')).bookmarks
    const found = bookmark.find((one: any) => one.entry.title === song.title)
    t.match(found, { position: 3000, comment: 'here' })
    await owner.rest('deleteBookmark', { id: entry.id })
    t.notOk((await owner.rest('getBookmarks')).bookmarks.bookmark.some((one: any) => one.entry.title === song.title))
  },
  'a play queue stays': async (t, { owner }, { entry }) => {
    await owner.rest('savePlayQueue', { id: entry.id, current: entry.id, position: 2000 })
    const { playQueue } = await owner.rest('getPlayQueue')
    t.match(playQueue, { current: entry.id, position: 2000, entry: [{ id: entry.id }] })
  }
}

/** A play of all of a song that ends now, as the page reports it. */
function playOf ({ song, track }: Found) {
  const now = Date.now()
  const length = song.seconds * 1000
  const play = { id: randomUUID(), track: track.id, length, startedAt: now - length, position: length, played: length }
  return { now, plays: [{ ...play, state: 'stopped' }] }
}
