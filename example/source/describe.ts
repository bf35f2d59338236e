import {
  extras, type Album, type Artist, type Playlist, type Track, type TrackUrl
} from 'fastify-source-origin'
import type { Signer, TranscodeProfile } from 'fastify-source-origin/media'
import type {
  CatalogueAlbum, CatalogueArtist, CataloguePlaylist, CatalogueTrack
} from '../catalogue/catalogue-items.ts'
import { chooseOffer, offersOf, qualityOf } from '../catalogue/qualities.ts'
import { downloadPath } from '../media/download-routes.ts'
import { audioName, transcodedName } from '../media/audio-names.ts'
import { audioPath, coverPath } from '../media/folder-media.ts'
import type { Entry } from '../catalogue/listened.ts'
import { artistNames } from '../text/artist-names.ts'

/** The account that receives a response. */
interface Viewer {
  readonly listener: string
  /** The times when items became favourites (Unix milliseconds), by id. */
  readonly favorites: ReadonlyMap<string, number>
}

/** The audio that a viewer may receive. */
interface Audio {
  /** The available transcodings by quality key. */
  readonly profiles?: Readonly<Record<string, TranscodeProfile>> | undefined
  /** The maximum bitrate in bit/s. Default: no limit. */
  readonly most?: number | undefined
}

/** The creator of playlists in the folder, which belong to no account. */
const folder = { id: ':folder', name: '', avatarUrl: '' }

/** Converts items of the catalogue to the contract, with URLs for one viewer. */
export class Describer {
  readonly #baseUrl: string
  readonly #signer: Signer
  readonly #viewer: Viewer | undefined
  readonly #audio: Audio
  /** Cached URLs of covers and converted items, since a page of tracks repeats a few of them. */
  readonly #covers = new Map<string, string>()
  readonly #artists = new Map<CatalogueArtist, Artist>()
  readonly #albums = new Map<CatalogueAlbum, Album>()

  /**
   * @param baseUrl the address of the source for the viewer, without a trailing slash
   * @param viewer the account whose favourites are included; default: no favourites
   */
  constructor (baseUrl: string, signer: Signer, audio: Audio = {}, viewer?: Viewer) {
    this.#audio = audio
    this.#baseUrl = baseUrl
    this.#signer = signer
    this.#viewer = viewer
  }

  readonly artist = (artist: CatalogueArtist): Artist => {
    let written = this.#artists.get(artist)
    if (written === undefined) this.#artists.set(artist, written = this.#writeArtist(artist))
    return written
  }

  #writeArtist ({ id, name, cover, extras: more }: CatalogueArtist): Artist {
    return {
      id, name, coverUrl: this.#cover(cover), ...this.#favorite(id), [extras]: { ...more, ...this.#since(id) }
    }
  }

  readonly album = (album: CatalogueAlbum): Album => {
    let written = this.#albums.get(album)
    if (written === undefined) this.#albums.set(album, written = this.#writeAlbum(album))
    return written
  }

  readonly #writeAlbum = (
    { id, name, artists, trackCount, durationMs, publishTime, genre, added, extras: more }: CatalogueAlbum
  ): Album => ({
    id,
    name,
    coverUrl: this.#cover(id),
    artistName: more.displayArtist ?? artistNames(artists),
    trackCount,
    publishTime,
    ...genre !== undefined && { genre },
    ...this.#favorite(id),
    [extras]: {
      genres: genre === undefined ? [] : [genre],
      ...more,
      artists: artists.map(({ id, name }) => ({ id, name })),
      duration: Math.round(durationMs / 1000),
      created: timeOf(added),
      ...this.#since(id)
    }
  })

  readonly track = (
    {
      id, title, artists, album, disc, trackNumber, genres, year, durationMs, files, added, extras: more
    }: CatalogueTrack
  ): Track => ({
    id,
    title,
    artists: artists.map(this.artist),
    album: this.album(album),
    durationMs,
    qualities: this.#offers({ files, durationMs }).map(({ file, profile, ...quality }) => quality),
    ...this.#favorite(id),
    [extras]: {
      discNumber: disc,
      track: trackNumber,
      year,
      genres: [...genres],
      ...more,
      created: timeOf(added),
      ...this.#since(id)
    }
  })

  readonly playlist = ({ id, name, genre, genres, trackCount, cover, updatedAt }: CataloguePlaylist): Playlist => ({
    id,
    name,
    description: genre === undefined ? '' : `Every track of the genre ${name}`,
    coverUrl: cover === undefined ? '' : this.#cover(cover),
    trackCount,
    tags: [...genres],
    creator: folder,
    updatedAt
  })

  /** Returns a track whose file was deleted: the known properties, without audio. */
  goneTrack ({ id, title }: Entry): Track {
    const album = { id: '', name: '', coverUrl: '' }
    return { id, title, artists: [], album, durationMs: 0, qualities: [], ...this.#favorite(id) }
  }

  /** Returns the favourite flag of an item for the viewer; nothing without a viewer. */
  #favorite (id: string): { favorite?: boolean } {
    return this.#viewer === undefined ? {} : { favorite: this.#viewer.favorites.has(id) }
  }

  /** Returns the time when an item became a favourite. */
  #since (id: string): { starred?: string } {
    const since = this.#viewer?.favorites.get(id)
    return since === undefined ? {} : { starred: timeOf(since) }
  }

  /** @param wanted the key of a quality. Default: the best quality */
  trackUrl (track: CatalogueTrack, wanted: string | undefined): TrackUrl {
    const { key: quality, format, bitrate, size, file, profile } = chooseOffer(this.#offers(track), wanted)
    const name = file === undefined ? transcodedName(quality, profile!) : audioName(qualityOf(file).key, file.format)
    const path = this.#signer.sign(audioPath(track.id, name, this.#viewer?.listener))
    return { url: this.#baseUrl + path, quality, format, bitrate, size }
  }

  #offers (track: Pick<CatalogueTrack, 'files' | 'durationMs'>) {
    return offersOf(track, this.#audio.profiles, this.#audio.most)
  }

  /** Returns the download URL: the best file of a track, or an archive of other items. */
  downloadUrl (kind: string, id: string): string {
    return this.#baseUrl + this.#signer.sign(downloadPath(kind, id, this.#viewer?.listener))
  }

  #cover (album: string): string {
    let url = this.#covers.get(album)
    if (url === undefined) this.#covers.set(album, url = this.#baseUrl + this.#signer.signStable(coverPath(album)))
    return url
  }
}

/** The greatest distance of a JavaScript date from 1970 in milliseconds. */
const farthest = 8.64e15

/** Returns a time as a string. Disks may report any time. */
const timeOf = (unixTime: number) => new Date(Math.max(-farthest, Math.min(unixTime, farthest))).toISOString()
