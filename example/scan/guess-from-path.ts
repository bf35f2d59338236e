import { parse } from 'node:path/posix'

/** What names tell of a file. */
export interface Guess {
  readonly title: string
  readonly artist?: string
  readonly album?: string
  readonly trackNumber?: number
  readonly discNumber?: number
}

/** Reads `Artist/Album/CD 2/03 - Title.mp3` and `Artist - Title.mp3`: for files whose tags say nothing. */
export function guessFromPath (path: string): Guess {
  const { dir, name } = parse(path)
  const folders = dir.split('/').filter(Boolean)
  const disc = /^(?:cd|dis[ck])[\s_-]*(\d{1,2})$/i.exec(folders.at(-1) ?? '')?.[1]
  if (disc !== undefined) folders.pop()

  const [, side = disc, number, rest = name] = /^(?:(\d{1,2})-)?(\d{1,3})(?:\s*[-._]\s*|\s+)(.*\S.*)$/.exec(name) ?? []
  const [artist, title] = rest.split(/ - (.*)/s)
  const byName = title?.trim() ? { artist, title } : { title: rest }
  return {
    ...byName,
    title: byName.title.replaceAll('_', ' '),
    artist: folders.at(-2) ?? byName.artist,
    album: folders.at(-1),
    trackNumber: number === undefined ? undefined : Number(number),
    discNumber: side === undefined ? undefined : Number(side)
  }
}
