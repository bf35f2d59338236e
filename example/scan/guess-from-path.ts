import { dirname, parse } from 'node:path/posix'

/** Metadata derived from the names of a file and its folders. */
export interface Guess {
  readonly title: string
  readonly artist?: string | undefined
  readonly album?: string | undefined
  readonly trackNumber?: number | undefined
  readonly discNumber?: number | undefined
}

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const medium = `(?:cd|dvd|dis[ck]|digital media)[\\s._-]*(\\d{1,2}|${numbers.join('|')})[\\])]?`
/**
 * Matches `CD 2`, `[Disc 2]`, `Disk Two`, `CD 2 (Live)`, `Disc 2 - Second`; `Album CD2` contains the name of its album.
 */
const discFolder = new RegExp(
  `^(?:[[(]?${medium}(?![\\p{L}\\p{N}])|(.*[^\\s._-])[\\s._-]+[[(]?${medium}$)`, 'iu')
/** Matches names of discs that may also be names of albums. */
const volumeFolder = /^(?:vol(?:ume|\.)?\s*)?(0?[1-9]|1\d|20)$/i
/** Matches `A1 - Title`: the side of a record, and the number on it. */
const ofSide = /^([A-H])(\d{1,2})(?=\s*[-._])/

const numberOf = (text: string): number | undefined =>
  numbers.indexOf(text.toLowerCase()) + 1 || Number(text) || undefined

/** Reads `Track 12`, the name that programs use for unknown tracks. */
const trackNumberIn = (name: string): number | undefined => {
  const [, number] = /^track[\s_-]*(\d{1,3})$/i.exec(name) ?? []
  return number === undefined ? undefined : Number(number)
}

/** Returns the disc number of a record side: A is 1. */
export const discOfSide = (letter: string): number => letter.toUpperCase().charCodeAt(0) - 64

/** Returns the album folder of a file, which may contain a folder for each disc. */
export function albumFolder (path: string): string {
  const { dir } = parse(path)
  const { dir: above, base } = parse(dir)
  return discFolder.test(base) ? above : dir
}

/** Returns the folder above a folder whose name is only the number of a disc, such as `CD 1`. */
export function aboveDisc (folder: string): string | undefined {
  const { base } = parse(folder)
  return discFolder.exec(base)?.[1] === undefined ? undefined : dirname(folder)
}

/** Reads `Artist/Album/CD 2/03 - Title.mp3` and `Artist - Title.mp3`, for files without tags. */
export function guessFromPath (path: string): Guess {
  const { dir, name } = parse(path)
  const folders = dir.split('/').filter(Boolean)
  const folder = folders.at(-1) ?? ''
  const [, alone, album, disc = alone ?? volumeFolder.exec(folder)?.[1]] = discFolder.exec(folder) ?? []
  if (album !== undefined) folders.splice(-1, 1, album)
  else if (discFolder.test(folder)) folders.pop()

  const sided = ofSide.exec(name)
  const numbered = sided ?? /^(?:(\d{1,2})-)?(\d{1,3})(?=[-._\s])/.exec(name)
  const behind = numbered === null ? '' : name.slice(numbered[0].length).trimStart().replace(/^[-._]/, '').trim()
  const [, side = disc, number] = behind === '' ? [] : numbered!
  const rest = behind === '' ? name : behind
  const hyphen = rest.indexOf(' - ')
  const title = hyphen === -1 ? '' : rest.slice(hyphen + 3)
  const byName = title.trim() === '' ? { title: rest, artist: undefined } : { artist: rest.slice(0, hyphen), title }
  return {
    ...byName,
    title: byName.title.replaceAll('_', ' '),
    artist: folders.at(-2) ?? byName.artist,
    album: folders.at(-1),
    trackNumber: number === undefined ? trackNumberIn(name) : Number(number),
    discNumber: side === undefined ? undefined : sided !== null && behind !== '' ? discOfSide(side) : numberOf(side)
  }
}
