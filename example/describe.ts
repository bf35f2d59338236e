import type { Album, Artist, Playlist, Track, TrackQuality, TrackUrl } from 'fastify-source-origin'
import type { Signer } from 'fastify-source-origin/media'
import { tagsOf, type CatalogueAlbum, type CatalogueArtist, type CatalogueTrack } from './catalogue/build-catalogue.ts'
import { chooseFile, qualityOf } from './catalogue/qualities.ts'
import { audioPath, coverPath } from './media/media-routes.ts'
import type { CataloguePlaylist } from './playlists/build-playlists.ts'
import type { AudioFile } from './scan/read-audio-file.ts'
import type { Entry } from './state/playlists.ts'
import type { Caller } from './state/state.ts'

/** Writes the catalogue as the contract wants it, with URLs for one caller. */
export class Describer {
  readonly #baseUrl: string
  readonly #signer: Signer
  readonly #caller: Caller | undefined
  /** URLs of covers: a page of tracks has the same few many times. */
  readonly #covers = new Map<string, string>()

  /**
   * @param baseUrl where the caller reaches the source, without a slash at the end
   * @param caller whose favourites are told; without one nobody's
   */
  constructor (baseUrl: string, signer: Signer, caller?: Caller) {
    this.#baseUrl = baseUrl
    this.#signer = signer
    this.#caller = caller
  }

  readonly artist = ({ id, name, albums, tracks }: CatalogueArtist): Artist => {
    const album = albums[0] ?? tracks[0]?.album
    return { id, name, ...album && { coverUrl: this.#cover(album) }, ...this.#favorite(id) }
  }

  readonly album = (album: CatalogueAlbum): Album => {
    const tags = tagsOf(album.tracks[0]!)
    return {
      id: album.id,
      name: album.name,
      coverUrl: this.#cover(album),
      artistName: album.artist.name,
      trackCount: album.tracks.length,
      publishTime: tags.publishTime ?? null,
      ...tags.genres[0] !== undefined && { genre: tags.genres[0] },
      ...this.#favorite(album.id)
    }
  }

  readonly track = (track: CatalogueTrack): Track => ({
    id: track.id,
    title: tagsOf(track).title,
    artists: track.artists.map(this.artist),
    album: this.album(track.album),
    durationMs: tagsOf(track).durationMs,
    qualities: track.files.map(describeQuality),
    ...this.#favorite(track.id)
  })

  readonly playlist = ({ id, name, description, tracks, genres, updatedAt }: CataloguePlaylist): Playlist => ({
    id,
    name,
    description,
    coverUrl: tracks[0] === undefined ? '' : this.#cover(tracks[0].album),
    trackCount: tracks.length,
    tags: [...genres],
    updatedAt
  })

  /** A track whose file is gone: what is known of it, and nothing that could be played. */
  goneTrack ({ id, title }: Entry): Track {
    const album = { id: '', name: '', coverUrl: '' }
    return { id, title, artists: [], album, durationMs: 0, qualities: [], ...this.#favorite(id) }
  }

  /** Whether the caller has an item among its favourites; nothing without a caller. */
  #favorite (id: string): { favorite?: boolean } {
    return this.#caller === undefined ? {} : { favorite: this.#caller.favorites.has(id) }
  }

  /** @param wanted key of a quality; without it the best */
  trackUrl ({ id, files }: CatalogueTrack, wanted: string | undefined): TrackUrl {
    const file = chooseFile(files, wanted)
    const quality = qualityOf(file).key
    const { format, bitrate, size } = file
    const path = this.#signer.sign(audioPath(id, quality, format, this.#caller?.listener))
    return { url: this.#baseUrl + path, quality, format, bitrate, size }
  }

  #cover ({ id }: CatalogueAlbum): string {
    let url = this.#covers.get(id)
    if (url === undefined) this.#covers.set(id, url = this.#baseUrl + this.#signer.signSteadily(coverPath(id)))
    return url
  }
}

const describeQuality = (file: AudioFile): TrackQuality =>
  ({ ...qualityOf(file), size: file.size, bitrate: file.bitrate, format: file.format })
