import { dirname } from 'node:path/posix'
import { takeTurns } from '../take-turns.ts'
import { allOf, mapTexts, nameTrack } from './name-track.ts'
import type { AudioFile } from './read-audio-file.ts'
import { findRepair, type Repair } from './repair-encodings.ts'

/** Repairs the names of albums whose tags are in an old encoding. */
export class AlbumRepair {
  /** What was found for the texts of an album: one that has not changed is not looked at again. */
  #found = new Map<string, Repair | undefined>()

  /** The files, with other names where those that they had were garbled. Others have their turn meanwhile. */
  async repair (files: readonly AudioFile[]): Promise<AudioFile[]> {
    const pause = takeTurns()
    const albums = new Map<string, AudioFile[]>()
    for (const file of files) {
      if (file.texts === undefined) continue
      const key = [dirname(file.path), file.texts.album ?? file.texts.artists.join()].join('\0')
      const album = albums.get(key)
      if (album === undefined) albums.set(key, [file])
      else album.push(file)
      await pause()
    }

    const before = this.#found
    this.#found = new Map()
    const repaired = new Map<string, AudioFile>()
    for (const album of albums.values()) {
      await pause()
      const texts = album.flatMap(file => allOf(file.texts!))
      const key = texts.join('\0')
      const repair = before.has(key) ? before.get(key) : findRepair(texts)
      this.#found.set(key, repair)
      if (repair === undefined) continue
      for (const file of album) repaired.set(file.path, { ...file, ...nameTrack(mapTexts(file.texts!, repair), file) })
    }
    return files.map(file => repaired.get(file.path) ?? file)
  }
}
