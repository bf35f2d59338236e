import { createHash, randomInt } from 'node:crypto'
import { compareNames } from '../text/compare-names.ts'
import { tagsOf, timeOf, type CatalogueTrack } from './build-catalogue.ts'

/** Years within which recordings are of one era. */
const era = 5

/** Tracks like this one: by the same artists, of the same genres; those of its era first. */
export function similarTracks (track: CatalogueTrack, all: Iterable<CatalogueTrack>): CatalogueTrack[] {
  const { genres, year } = tagsOf(track)
  return [...all]
    .filter(other => other !== track)
    .map(other => {
      const tags = tagsOf(other)
      const artists = other.artists.filter(artist => track.artists.includes(artist)).length
      const likeness = 3 * artists + 2 * tags.genres.filter(genre => genres.includes(genre)).length
      const near = year !== undefined && tags.year !== undefined && Math.abs(year - tags.year) <= era
      return { other, likeness, score: likeness + (near ? 1 : 0) }
    })
    .filter(({ likeness }) => likeness > 0)
    .sort((a, b) => b.score - a.score || (a.other.id < b.other.id ? -1 : 1))
    .map(({ other }) => other)
}

/** What arrived last comes first; what arrived together in the order of albums. */
export const newTracks = (all: Iterable<CatalogueTrack>): CatalogueTrack[] => [...all].sort((a, b) => b.added - a.added)

/** Things in an order of the day: the same all day, another tomorrow. */
export function shuffleForToday<T extends { readonly id: string }> (all: Iterable<T>, today = new Date()): T[] {
  const day = today.toDateString()
  return [...all]
    .map(item => ({ item, place: createHash('sha1').update(day + item.id).digest('base64') }))
    .sort((a, b) => a.place < b.place ? -1 : 1)
    .map(({ item }) => item)
}

/**
 * Tracks by chance. Half of all at most, so that none of the last ones has to come again.
 *
 * @param last ids of those that were given last
 */
export function roamTracks (all: Iterable<CatalogueTrack>, last: ReadonlySet<string>, most: number): CatalogueTrack[] {
  const tracks = [...all]
  const count = Math.min(most, Math.ceil(tracks.length / 2))
  const fresh = tracks.filter(({ id }) => !last.has(id))
  const from = fresh.length > 0 ? fresh : tracks
  return Array.from({ length: Math.min(count, from.length) }, () => from.splice(randomInt(from.length), 1)[0]!)
}

/** The same tracks, those that were heard behind the others. */
export const heardLast = (tracks: readonly CatalogueTrack[], heard: ReadonlySet<string>): CatalogueTrack[] =>
  [...tracks.filter(({ id }) => !heard.has(id)), ...tracks.filter(({ id }) => heard.has(id))]

type Compare = (a: CatalogueTrack, b: CatalogueTrack) => number

/** Ways to order the tracks of a playlist. */
export const playlistOrders: Readonly<Record<string, { label: string, compare: Compare }>> = {
  title: { label: 'Title', compare: (a, b) => compareNames(tagsOf(a).title, tagsOf(b).title) },
  artist: { label: 'Artist', compare: (a, b) => compareNames(a.artists[0]!.name, b.artists[0]!.name) },
  album: { label: 'Album', compare: (a, b) => compareNames(a.album.name, b.album.name) },
  added: { label: 'Added', compare: (a, b) => a.added - b.added }
}

/** Ways to order the tracks of an artist. */
export const artistOrders: Readonly<Record<string, (heat: ReadonlyMap<CatalogueTrack, number>) => Compare>> = {
  hot: heat => (a, b) => (heat.get(b) ?? 0) - (heat.get(a) ?? 0),
  new: () => (a, b) => timeOf(b) - timeOf(a) || b.added - a.added,
  title: () => playlistOrders.title!.compare
}
