import type { Album, Artist, Playlist, Track, TrackQuality, TrackUrl } from 'fastify-source-origin'
import { tagsOf, type CatalogueAlbum, type CatalogueArtist, type CatalogueTrack } from './catalogue/build-catalogue.ts'
import { chooseFile, qualityOf } from './catalogue/qualities.ts'
import type { Signer } from './media/create-signer.ts'
import { audioPath, coverPath } from './media/media-routes.ts'
import type { CataloguePlaylist } from './playlists/build-playlists.ts'
import type { AudioFile } from './scan/read-audio-file.ts'

/** Writes the catalogue as the contract wants it, with URLs for one caller. */
export class Describer {
  readonly #baseUrl: string
  readonly #signer: Signer
  /** URLs of covers: a page of tracks has the same few many times. */
  readonly #covers = new Map<string, string>()

  /** @param baseUrl where the caller reaches the source, without a slash at the end */
  constructor (baseUrl: string, signer: Signer) {
    this.#baseUrl = baseUrl
    this.#signer = signer
  }

  readonly artist = ({ id, name, albums, tracks }: CatalogueArtist): Artist => {
    const album = albums[0] ?? tracks[0]?.album
    return { id, name, coverUrl: album && this.#cover(album) }
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
      genre: tags.genres[0]
    }
  }

  readonly track = (track: CatalogueTrack): Track => ({
    id: track.id,
    title: tagsOf(track).title,
    artists: track.artists.map(this.artist),
    album: this.album(track.album),
    durationMs: tagsOf(track).durationMs,
    qualities: track.files.map(describeQuality)
  })

  readonly playlist = ({ id, name, description, tracks, genres, updatedAt }: CataloguePlaylist): Playlist => ({
    id,
    name,
    description,
    coverUrl: tracks[0] && this.#cover(tracks[0].album),
    trackCount: tracks.length,
    tags: [...genres],
    updatedAt
  })

  /** @param wanted key of a quality; without it the best */
  trackUrl ({ id, files }: CatalogueTrack, wanted: string | undefined): TrackUrl {
    const file = chooseFile(files, wanted)
    const quality = qualityOf(file).key
    const { format, bitrate, size } = file
    return { url: this.#baseUrl + this.#signer.sign(audioPath(id, quality, format)), quality, format, bitrate, size }
  }

  #cover ({ id }: CatalogueAlbum): string {
    let url = this.#covers.get(id)
    if (url === undefined) this.#covers.set(id, url = this.#baseUrl + this.#signer.signSteadily(coverPath(id)))
    return url
  }
}

const describeQuality = (file: AudioFile): TrackQuality =>
  ({ ...qualityOf(file), size: file.size, bitrate: file.bitrate, format: file.format })
