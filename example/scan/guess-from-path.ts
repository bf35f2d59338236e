import { parse } from 'node:path/posix'

/** What names tell of a file. */
export interface Guess {
  readonly title: string
  readonly artist?: string | undefined
  readonly album?: string | undefined
  readonly trackNumber?: number | undefined
  readonly discNumber?: number | undefined
}

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const medium = `(?:cd|dvd|dis[ck]|digital media)[\\s._-]*(\\d{1,2}|${numbers.join('|')})[\\])]?`
/** `CD 2`, `[Disc 2]`, `Disk Two`, `CD 2 (Live)`, `Disc 2 - Second`; `Album CD2` is named with its album. */
const discFolder = new RegExp(
  `^(?:[[(]?${medium}(?![\\p{L}\\p{N}])|(.*[^\\s._-])[\\s._-]+[[(]?${medium}$)`, 'iu')
/** These may be albums of their own too. */
const volumeFolder = /^(?:vol(?:ume|\.)?\s*)?(0?[1-9]|1\d|20)$/i
/** `A1 - Title`: the side of a record, and the number on it. */
const ofSide = /^([A-H])(\d{1,2})(?=\s*[-._])/

const numberOf = (text: string): number | undefined =>
  numbers.indexOf(text.toLowerCase()) + 1 || Number(text) || undefined

/** `Track 12`, as programs name what they know nothing of. */
const trackNumberIn = (name: string): number | undefined => {
  const [, number] = /^track[\s_-]*(\d{1,3})$/i.exec(name) ?? []
  return number === undefined ? undefined : Number(number)
}

/** Sides of a record are discs: A is 1. */
export const discOfSide = (letter: string): number => letter.toUpperCase().charCodeAt(0) - 64

/** The folder of an album that a file is in, which may have a folder for each disc. */
export function albumFolder (path: string): string {
  const { dir } = parse(path)
  const { dir: above, base } = parse(dir)
  return discFolder.test(base) ? above : dir
}

/** Reads `Artist/Album/CD 2/03 - Title.mp3` and `Artist - Title.mp3`: for files whose tags say nothing. */
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
