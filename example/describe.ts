import type { Album, Artist, Track, TrackQuality, TrackUrl } from 'fastify-source-origin'
import { tagsOf, type CatalogueAlbum, type CatalogueArtist, type CatalogueTrack } from './catalogue/build-catalogue.ts'
import { chooseFile, qualityOf } from './catalogue/qualities.ts'
import type { AudioFile } from './scan/read-audio-file.ts'
import { audioPath } from './media/media-routes.ts'
import type { Signer } from './media/create-signer.ts'

/** Writes the catalogue as the contract wants it, with URLs for one caller. */
export class Describer {
  readonly #baseUrl: string
  readonly #signer: Signer

  /** @param baseUrl where the caller reaches the source, without a slash at the end */
  constructor (baseUrl: string, signer: Signer) {
    this.#baseUrl = baseUrl
    this.#signer = signer
  }

  readonly artist = ({ id, name }: CatalogueArtist): Artist => ({ id, name })

  readonly album = ({ id, name, artist, tracks }: CatalogueAlbum): Album => {
    const tags = tagsOf(tracks[0]!)
    return {
      id,
      name,
      coverUrl: '',
      artistName: artist.name,
      trackCount: tracks.length,
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

  /** @param wanted key of a quality; without it the best */
  trackUrl ({ id, files }: CatalogueTrack, wanted: string | undefined): TrackUrl {
    const file = chooseFile(files, wanted)
    const quality = qualityOf(file).key
    const { format, bitrate, size } = file
    return { url: this.#baseUrl + this.#signer.sign(audioPath(id, quality, format)), quality, format, bitrate, size }
  }
}

const describeQuality = (file: AudioFile): TrackQuality =>
  ({ ...qualityOf(file), size: file.size, bitrate: file.bitrate, format: file.format })
