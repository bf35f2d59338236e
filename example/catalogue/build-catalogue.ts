import type { QualityOption } from 'fastify-source-origin'
import { idOf, plainName } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import { bestFiles, qualitiesOf } from './qualities.ts'
import { SearchIndex } from './search-index.ts'

export interface CatalogueArtist {
  readonly id: string
  readonly name: string
  readonly tracks: CatalogueTrack[]
  readonly albums: CatalogueAlbum[]
}

export interface CatalogueAlbum {
  readonly id: string
  readonly name: string
  readonly artist: CatalogueArtist
  /** In disc and track order. */
  readonly tracks: CatalogueTrack[]
}

export interface CatalogueTrack {
  readonly id: string
  readonly artists: readonly CatalogueArtist[]
  readonly album: CatalogueAlbum
  /** Best first; the first one's tags count. */
  readonly files: readonly AudioFile[]
}

/** Everything that requests are answered from. It never changes: a scan makes a new one. */
export interface Catalogue {
  readonly tracks: ReadonlyMap<string, CatalogueTrack>
  readonly albums: ReadonlyMap<string, CatalogueAlbum>
  readonly artists: ReadonlyMap<string, CatalogueArtist>
  /** The qualities that the folder has, best first. */
  readonly qualities: readonly QualityOption[]
  readonly search: {
    readonly tracks: SearchIndex<CatalogueTrack>
    readonly albums: SearchIndex<CatalogueAlbum>
    readonly artists: SearchIndex<CatalogueArtist>
  }
}

/** The file whose tags count for a track. */
export const tagsOf = (track: CatalogueTrack): AudioFile => track.files[0]!

/**
 * Makes the tracks, albums and artists of the files.
 *
 * @param files in the order of their paths, which decides where nothing else does
 */
export function buildCatalogue (files: Iterable<AudioFile>): Catalogue {
  const tracks = new Map<string, CatalogueTrack>()
  const albums = new Map<string, CatalogueAlbum>()
  const artists = new Map<string, CatalogueArtist>()

  const artistOf = (name: string) =>
    getOrMake(artists, idOf('artist', plainName(name)), id => ({ id, name, tracks: [], albums: [] }))
  const albumOf = (name: string, artist: CatalogueArtist) =>
    getOrMake(albums, idOf('album', artist.id, plainName(name)), id => {
      const album: CatalogueAlbum = { id, name, artist, tracks: [] }
      artist.albums.push(album)
      return album
    })

  const filesOf = new Map<string, AudioFile[]>()
  for (const file of files) getOrMake(filesOf, file.trackId, () => []).push(file)
  for (const [id, same] of filesOf) {
    const best = bestFiles(same)
    const tags = best[0]!
    const album = albumOf(tags.album, artistOf(tags.albumArtist))
    const track: CatalogueTrack = { id, artists: tags.artists.map(artistOf), album, files: best }
    tracks.set(id, track)
    album.tracks.push(track)
    for (const artist of new Set(track.artists)) artist.tracks.push(track)
  }
  for (const album of albums.values()) album.tracks.sort(byPlace)

  return {
    tracks,
    albums,
    artists,
    qualities: qualitiesOf([...tracks.values()].flatMap(track => track.files)),
    search: {
      tracks: new SearchIndex(tracks.values(), track => ({
        id: track.id, name: tagsOf(track).title, more: `${track.artists.map(({ name }) => name).join(' ')} ${track.album.name}`
      })),
      albums: new SearchIndex(albums.values(), ({ id, name, artist }) => ({ id, name, more: artist.name })),
      artists: new SearchIndex(artists.values(), ({ id, name }) => ({ id, name }))
    }
  }
}

function getOrMake<T> (map: Map<string, T>, id: string, make: (id: string) => T): T {
  let value = map.get(id)
  if (value === undefined) map.set(id, value = make(id))
  return value
}

/** Disc and track order; tracks without a number come last, by title. */
function byPlace (one: CatalogueTrack, other: CatalogueTrack): number {
  const [a, b] = [tagsOf(one), tagsOf(other)]
  return (a.discNumber ?? 1) - (b.discNumber ?? 1) || (a.trackNumber ?? Infinity) - (b.trackNumber ?? Infinity) ||
    a.title.localeCompare(b.title, 'en')
}
