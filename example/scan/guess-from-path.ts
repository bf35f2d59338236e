import { parse } from 'node:path/posix'

/** What names tell of a file. */
export interface Guess {
  readonly title: string
  readonly artist?: string | undefined
  readonly album?: string | undefined
  readonly trackNumber?: number | undefined
  readonly discNumber?: number | undefined
}

const discFolder = /^(?:cd|dis[ck])[\s_-]*(\d{1,2})$/i

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
  const disc = discFolder.exec(folders.at(-1) ?? '')?.[1]
  if (disc !== undefined) folders.pop()

  const numbered = /^(?:(\d{1,2})-)?(\d{1,3})(?=[-._\s])/.exec(name)
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
    trackNumber: number === undefined ? undefined : Number(number),
    discNumber: side === undefined ? undefined : Number(side)
  }
}
