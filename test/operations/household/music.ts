import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { locate } from '../../services.ts'

const run = promisify(execFile)

/** One file of a source: what its tags say. */
export interface Song {
  readonly title: string
  readonly artist: string
  readonly album: string
  readonly genre: string
  readonly seconds: number
  readonly number: number
  /** Path below the folder of the music. */
  readonly path: string
  readonly explicit: boolean
}

/** An album: a folder with a cover of a colour of its own. */
interface Album {
  readonly name: string
  readonly artist: string
  readonly genre?: string
  readonly songs: number
  /** Folders above it. */
  readonly within?: string
  readonly explicit?: boolean
  readonly cover?: false
}

const encoders = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '192k', '-id3v2_version', '3'],
  flac: ['-c:a', 'flac'],
  ogg: ['-c:a', 'libvorbis', '-q:a', '5']
}

/** Seconds of the longest song. */
const longest = 40

const formats = Object.keys(encoders) as (keyof typeof encoders)[]

/** Each name begins with the word of its source, so that a title says whose an item is, by every protocol. */
export const words = { home: 'Hearth', subsonic: 'Harbour', attic: 'Attic', friend: 'Meadow' } as const
export type SourceName = keyof typeof words
export const sourceNames = Object.keys(words) as SourceName[]

/** What two of the sources have: an artist of one name, in no album of another source. */
export const commonArtist = 'The Commons'

const albumsOf: Record<SourceName, readonly Album[]> = {
  home: [
    { name: 'Hearth Embers', artist: 'Hearth Band', songs: 4 },
    { name: 'Hearth Common', artist: commonArtist, songs: 3 },
    { name: 'Hearth Nursery', artist: 'Hearth Choir', genre: 'Lullaby', songs: 3, within: 'Kids' },
    { name: 'Hearth Shouts', artist: 'Hearth Band', songs: 2, within: 'Kids', explicit: true }
  ],
  // More songs than are read of a server that cannot list all of its music.
  subsonic: [
    { name: 'Harbour Common', artist: commonArtist, songs: 3 },
    ...Array.from({ length: 6 }, (_, at) =>
      ({ name: `Harbour Pier ${at + 1}`, artist: `Harbour Band ${at % 2 + 1}`, songs: 11 })),
    { name: 'Harbour Fog', artist: 'Harbour Band 1', songs: 2, cover: false }
  ],
  attic: [
    { name: 'Attic Boxes', artist: 'Attic Band', songs: 4 },
    { name: 'Attic Trunks', artist: 'Attic Band', songs: 3 }
  ],
  friend: [
    { name: 'Meadow Common', artist: commonArtist, songs: 3 },
    { name: 'Meadow Paths', artist: 'Meadow Band', songs: 5 }
  ]
}

function songsOf (source: SourceName): Song[] {
  let count = 0
  return albumsOf[source].flatMap(({ name, artist, genre = 'Folk', songs, within = '', explicit = false }) =>
    Array.from({ length: songs }, (_, at) => {
      count++
      const title = `${words[source]} tune ${String(count).padStart(2, '0')}`
      const path = join(within, artist, name, `${String(at + 1).padStart(2, '0')} ${title}.${formats[count % 3]}`)
      const seconds = source === 'home' && count === 1 ? longest : 10 + count % 4 * 2
      return { title, artist, album: name, genre, seconds, number: at + 1, path, explicit }
    }))
}

/** The songs of each source. */
export const music = Object.fromEntries(sourceNames.map(name => [name, songsOf(name)])) as Record<SourceName, Song[]>

/** The colour of the cover of an album. */
export function colourOf (album: string): { r: number, g: number, b: number } {
  const all = Object.values(albumsOf).flat().map(({ name }) => name)
  const at = all.indexOf(album)
  return { r: at % 3 * 110 + 20, g: Math.floor(at / 3) % 3 * 110 + 20, b: Math.floor(at / 9) * 110 + 20 }
}

/** A tone in each format, encoded once: what differs are the lengths and the tags. */
async function makeTones (folder: string): Promise<void> {
  const outputs = formats.flatMap(format => [...encoders[format], join(folder, `tone.${format}`)])
  await ffmpeg('-f', 'lavfi', '-i', `sine=440:duration=${longest}`, ...outputs)
}

/** Writes the music of all sources, each to a folder of its name: real audio with tags, and covers. */
export async function makeMusic (root: string): Promise<void> {
  await makeTones(root)
  for (const source of sourceNames) {
    const folder = join(root, source)
    for (const { path } of music[source]) await mkdir(dirname(join(folder, path)), { recursive: true })
    for (const { name } of albumsOf[source].filter(({ cover }) => cover !== false)) {
      const picture = sharp({ create: { width: 300, height: 300, channels: 3, background: colourOf(name) } }).jpeg()
      const { path } = music[source].find(({ album }) => album === name)!
      await writeFile(join(folder, dirname(path), 'cover.jpg'), await picture.toBuffer())
    }
    const tones = formats.flatMap(format => ['-i', join(root, `tone.${format}`)])
    const outputs = music[source].flatMap(song => [
      '-map', String(formats.indexOf(formatOf(song))), '-c', 'copy', '-t', String(song.seconds), ...tagsOf(song),
      join(folder, song.path)
    ])
    await ffmpeg(...tones, ...outputs)
  }
}

const ffmpeg = (...args: string[]) => run(locate('ffmpeg'), ['-loglevel', 'error', '-nostdin', ...args])

const formatOf = ({ path }: Song) => path.split('.').at(-1) as typeof formats[number]

const tagsOf = ({ title, artist, album, genre, number, explicit }: Song) => Object.entries({
  title,
  artist,
  album_artist: artist,
  album,
  genre,
  track: String(number),
  date: '2001',
  ...explicit && { ITUNESADVISORY: '1' }
}).flatMap(([name, value]) => ['-metadata', `${name}=${value}`])
