import type { Track } from '../../../schemas/index.ts'
import { NameIndex } from '../../text/name-index.ts'
import { isNamed } from '../../library/internal.ts'
import { itemMapper, libraryOf, pageOf, readItems, type Call, type Method } from '../call.ts'
import { readId, readIdOf } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { findAlbum, findArtist, limits, tracksById, tracksOf } from './find-items.ts'
import { described } from '../write-xml.ts'

/** Returns the parameters `fromYear` and `toYear`. */
export const yearsOf = ({ parameters }: Call) => [parameters.integer('fromYear'), parameters.integer('toYear')]

const latestYear = 9999

async function songs (call: Call, tracks: readonly Track[]) {
  return { song: described(tracks, (await itemMapper(call, { tracks })).song) }
}

const getRandomSongs: Method = async call => {
  const { session, parameters } = call
  const { size } = parameters.page('size', 'offset', 10)
  const genre = parameters.first('genre')
  const [from, to] = yearsOf(call)
  const years = from === undefined && to === undefined ? undefined : [from ?? 0, to ?? latestYear] as const
  const isFiltered = genre !== undefined || years !== undefined
  const found = new Map<string, Track>()
  const add = (tracks: readonly Track[]) => { for (const track of tracks) found.set(track.id, track) }
  if (!isFiltered) {
    for (let calls = 0, before = -1; calls < 5 && found.size < size && found.size > before; calls++) {
      before = found.size
      add(await session.readPart('getRoamTracks') ?? [])
    }
    if (found.size === 0) add(await session.readPart('getDailyTracks') ?? [])
  }
  if (found.size < size) {
    const library = await libraryOf(call)
    const { ids } = await library.random({ kind: 'tracks', genre, years }, size)
    add((await readItems(call, 'tracks', ids)).filter(track => track !== undefined))
  }
  return { randomSongs: await songs(call, [...found.values()].slice(0, size)) }
}

const getSongsByGenre: Method = async call => {
  const genre = call.parameters.required('genre')
  const page = call.parameters.page('count', 'offset', 10)
  const make = async () => (await libraryOf(call)).list({ kind: 'tracks', sort: 'album', genre })
  return { songsByGenre: await songs(call, await pageOf(call, 'tracks', ['songs', genre], page, make)) }
}

const getTopSongs: Method = async call => {
  const { parameters } = call
  const { size } = parameters.page('count', 'offset', 50, limits.items)
  const given = parameters.first('id')
  const id = given === undefined ? await artistIdOf(call, parameters.required('artist')) : readIdOf('artist', given)
  const tracks = id === undefined ? undefined : await tracksOf(call, id, size)
  return { topSongs: await songs(call, tracks ?? []) }
}

/** Returns an artist id by a shown name, else by a search. */
async function artistIdOf ({ session }: Call, name: string): Promise<string | undefined> {
  const shown = session.account.items.artistsByName
  const known = shown.exact(name)
  if (known !== undefined) return known.id
  const found = await session.read('searchArtists', name, 0, 20)
  const index = new NameIndex<string>()
  for (const artist of found?.items.toReversed() ?? []) index.set(artist.name, artist.id)
  return index.get(name) ?? shown.get(name)?.id
}

const getSimilarSongs = (member: 'similarSongs' | 'similarSongs2'): Method => async call => {
  const { size } = call.parameters.page('count', 'offset', 50)
  const tracks = await similarTo(call, call.parameters.required('id'), size)
  return { [member]: await songs(call, tracks.slice(0, size)) }
}

async function similarTo (call: Call, text: string, count: number): Promise<readonly Track[]> {
  const { session } = call
  const { kind, id } = readId(text)
  if (kind === 'track') {
    const similar = await session.read('getSimilarTracks', id)
    if (similar !== undefined) return similar
    const artist = (await tracksById(call, [id])).get(id)?.artists.find(isNamed)
    return artist === undefined ? [] : ofArtist(call, artist.id, count)
  }
  if (kind !== 'album' && kind !== 'artist') {
    throw new SubsonicError(70, 'This is not the id of an artist, an album or a track')
  }
  const [first] = kind === 'album' ? (await findAlbum(call, id)).tracks : await ofArtist(call, id, 1)
  const similar = first && await session.read('getSimilarTracks', first.id)
  if (similar !== undefined) return similar
  const artistId = kind === 'artist' ? id : first?.artists.find(isNamed)?.id
  return artistId === undefined ? [] : ofArtist(call, artistId, count)
}

/** Returns the tracks of an artist; empty if the source cannot list them. */
async function ofArtist (call: Call, id: string, count: number): Promise<readonly Track[]> {
  const tracks = await tracksOf(call, id, count)
  if (tracks === undefined) await findArtist(call, id)
  return tracks ?? []
}

export const songMethods: Readonly<Record<string, Method>> = {
  getRandomSongs,
  getSongsByGenre,
  getTopSongs,
  getSimilarSongs: getSimilarSongs('similarSongs'),
  getSimilarSongs2: getSimilarSongs('similarSongs2')
}
