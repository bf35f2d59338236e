import type { CatalogueTrack } from '../catalogue/catalogue-items.ts'
import { fileNameOf } from './file-name.ts'

/** A file of an archive. */
export interface PackedFile {
  /** The path in the archive. */
  readonly name: string
  /** The path in the music folder. */
  readonly path: string
  readonly size: number
}

/** Returns the prefix of a file name, if any. */
export type Numbering = (track: CatalogueTrack, index: number) => string | undefined

/** Returns the name of a track's best file: `01 Title.flac`. */
export function trackFileName ({ title, files }: CatalogueTrack, number: string | undefined): string {
  return `${fileNameOf(number === undefined ? title : `${number} ${title}`)}.${files[0]!.format}`
}

/** Returns the best files of tracks with unique names, ignoring case. */
export function packFiles (
  tracks: readonly CatalogueTrack[], numbering: Numbering, folderOf?: (track: CatalogueTrack) => string
): PackedFile[] {
  const taken = new Set<string>()
  return tracks.map((track, index) => {
    const { path, size, format } = track.files[0]!
    const folder = folderOf === undefined ? '' : `${fileNameOf(folderOf(track))}/`
    const whole = folder + trackFileName(track, numbering(track, index))
    let name = whole
    for (let copy = 2; taken.has(name.toLowerCase()); copy++) {
      name = `${whole.slice(0, -format.length - 1)} (${copy}).${format}`
    }
    taken.add(name.toLowerCase())
    return { name, path, size }
  })
}
