import { parseFile } from 'music-metadata'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Track } from 'fastify-source-origin'

/** A file of the folder. */
export interface Song { file: string, format: string, track: Track }

const extensions = new Set(['.aac', '.flac', '.m4a', '.mp3', '.ogg', '.opus', '.wav'])
const idOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16)

/**
 * Reads the tags of all audio files below a folder, by id. What cannot be read is left out, with a line. A file without
 * tags is named `artist - title`.
 */
export async function readMusic (folder: string): Promise<Map<string, Song>> {
  const songs = new Map<string, Song>()
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    const extension = extname(file)
    if (!extensions.has(extension.toLowerCase())) continue
    // A broken file, a link that leads nowhere, or a folder with such a name.
    const metadata = await parseFile(join(folder, file), { duration: true }).catch((error: Error) => error)
    if (metadata instanceof Error) {
      console.warn(`${file} is left out: ${metadata.message}`)
      continue
    }
    const { common, format: { duration = 0 } } = metadata
    const [first = '', ...rest] = basename(file, extension).split(' - ')
    const artist = common.artist ?? (rest.length > 0 ? first : '')
    const album = common.album ?? ''
    const track: Track = {
      id: idOf(file),
      title: common.title ?? (rest.length > 0 ? rest.join(' - ') : first),
      artists: [{ id: idOf(artist), name: artist }],
      album: { id: idOf(`${common.albumartist ?? artist}\n${album}`), name: album, coverUrl: '' },
      durationMs: Math.round(duration * 1000)
    }
    songs.set(track.id, { file, format: extension.slice(1).toLowerCase(), track })
  }
  return songs
}
