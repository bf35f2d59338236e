import type { QualityOption } from 'fastify-source-origin'
import { buildPlaylists, type CataloguePlaylist } from '../playlists/build-playlists.ts'
import type { PlaylistFile } from '../playlists/read-playlist.ts'
import { idOf, plainName } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import { takeTurns } from '../take-turns.ts'
import { compareNames } from '../text/compare-names.ts'
import type { CatalogueAlbum, CatalogueArtist, CatalogueTrack } from './catalogue-track.ts'
import { groupFiles } from './group-files.ts'
import { bestFiles, qualitiesOf } from './qualities.ts'
import { SearchIndex } from './search-index.ts'

export type { CatalogueAlbum, CatalogueArtist, CatalogueTrack } from './catalogue-track.ts'

/** Everything that requests are answered from. It never changes: a scan makes a new one. */
export interface Catalogue {
  readonly tracks: ReadonlyMap<string, CatalogueTrack>
  readonly albums: ReadonlyMap<string, CatalogueAlbum>
  readonly artists: ReadonlyMap<string, CatalogueArtist>
  readonly playlists: ReadonlyMap<string, CataloguePlaylist>
  /** The qualities that the folder has, best first. */
  readonly qualities: readonly QualityOption[]
  readonly search: {
    readonly tracks: SearchIndex<CatalogueTrack>
    readonly albums: SearchIndex<CatalogueAlbum>
    readonly artists: SearchIndex<CatalogueArtist>
    readonly playlists: SearchIndex<CataloguePlaylist>
  }
}

/** The file whose tags count for a track. */
export const tagsOf = (track: CatalogueTrack): AudioFile => track.files[0]!

/**
 * Makes the tracks, albums, artists and playlists of the files. Others have their turn meanwhile.
 *
 * @param root real path of the folder
 * @param files in the order of their paths, which decides where nothing else does
 */
export async function buildCatalogue (
  root: string, files: readonly AudioFile[], playlistFiles: readonly PlaylistFile[]
): Promise<Catalogue> {
  const pause = takeTurns()
  const tracks = new Map<string, CatalogueTrack>()
  const albums = new Map<string, CatalogueAlbum>()
  const artists = new Map<string, CatalogueArtist>()

  const artistOf = (name: string) => getOrMake(artists, plainName(name), plain =>
    ({ id: idOf('artist', plain), name, tracks: [], albums: [] }))
  const albumOf = (name: string, artist: CatalogueArtist) =>
    getOrMake(albums, `${artist.id} ${plainName(name)}`, plain => {
      const album: CatalogueAlbum = { id: idOf('album', plain), name, artist, tracks: [] }
      artist.albums.push(album)
      return album
    })

  for (const [id, same] of await groupFiles(files, pause)) {
    const best = bestFiles(same)
    const tags = best[0]!
    const album = albumOf(tags.album, artistOf(tags.albumArtist))
    const track: CatalogueTrack = {
      id,
      artists: [...new Set(tags.artists.map(artistOf))],
      album,
      files: best,
      paths: same.map(({ path }) => path),
      added: Math.min(...same.map(({ added }) => added))
    }
    tracks.set(id, track)
    album.tracks.push(track)
    for (const artist of track.artists) artist.tracks.push(track)
    await pause()
  }
  for (const album of albums.values()) {
    album.tracks.sort(byPlace)
    await pause()
  }
  for (const artist of artists.values()) {
    artist.albums.sort(byAge)
    await pause()
  }
  const playlists = await buildPlaylists(root, playlistFiles, [...tracks.values()], pause)

  return {
    tracks,
    albums: byId(albums.values()),
    artists: byId(artists.values()),
    playlists: byId(playlists),
    qualities: qualitiesOf([...tracks.values()].flatMap(track => track.files)),
    search: {
      tracks: new SearchIndex([...tracks.values()], track => ({
        id: track.id,
        name: tagsOf(track).title,
        more: [...track.artists, track.album].map(({ name }) => name).join(' ')
      })),
      albums: new SearchIndex([...albums.values()], ({ id, name, artist }) => ({ id, name, more: artist.name })),
      artists: new SearchIndex([...artists.values()], ({ id, name }) => ({ id, name })),
      playlists: new SearchIndex(playlists, ({ id, name, genres }) => ({ id, name, more: genres.join(' ') }))
    }
  }
}

function getOrMake<T> (map: Map<string, T>, key: string, make: (key: string) => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, value = make(key))
  return value
}

const byId = <T extends { readonly id: string }>(items: Iterable<T>): ReadonlyMap<string, T> =>
  new Map(Array.from(items, item => [item.id, item]))

/** Disc and track order; tracks without a number come last, by title. */
function byPlace (one: CatalogueTrack, other: CatalogueTrack): number {
  const [a, b] = [tagsOf(one), tagsOf(other)]
  return (a.discNumber ?? 1) - (b.discNumber ?? 1) || (a.trackNumber ?? Infinity) - (b.trackNumber ?? Infinity) ||
    compareNames(a.title, b.title)
}

/** The newest album first. */
const byAge = (one: CatalogueAlbum, other: CatalogueAlbum): number =>
  timeOf(other.tracks[0]!) - timeOf(one.tracks[0]!) || compareNames(one.name, other.name)

/** When a track was published; what has no date is the oldest. */
export const timeOf = (track: CatalogueTrack): number => tagsOf(track).publishTime ?? -Infinity
