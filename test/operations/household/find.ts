import type { Home } from './house.ts'
import type { Listener } from './listener.ts'
import { music, words, type Song, type SourceName } from './music.ts'

/** A song as a listener has found it, by both protocols. */
export interface Found {
  readonly source: SourceName
  readonly song: Song
  /** The track of `/v1`. */
  readonly track: any
  /** The song of `/rest`. */
  readonly entry: any
}

/** Finds a song by its title. @throws Error where it is not found */
export async function find (listener: Listener, source: SourceName, song: Song): Promise<Found> {
  const keyword = encodeURIComponent(song.title)
  const { items } = await listener.data(`/v1/search/tracks?keyword=${keyword}&limit=100`)
  const { searchResult3 } = await listener.rest('search3', { query: song.title, songCount: 100 })
  const track = items.find(({ title }: any) => title === song.title)
  const entry = searchResult3.song.find(({ title }: any) => title === song.title)
  if (track === undefined || entry === undefined) throw new Error(`${song.title} is not found`)
  return { source, song, track, entry }
}

/** What everything is tried with: a song of each source. */
export async function songsToTry (house: Home): Promise<readonly (readonly [row: string, Found])[]> {
  const rows: [string, SourceName, Song][] = [
    ['folder', 'home', music.home[0]!],
    ['Subsonic server', 'subsonic', music.subsonic[0]!],
    ['second Subsonic server', 'attic', music.attic[0]!],
    ['friend', 'friend', music.friend.at(-1)!]
  ]
  return Promise.all(rows.map(async ([row, source, song]) => [row, await find(house.owner, source, song)] as const))
}

/** How many titles and names of each source are in an answer. */
export const countNames = (text: string): Record<SourceName, number> =>
  Object.fromEntries(Object.entries(words).map(([source, word]) =>
    [source, text.split(new RegExp(`"(?:title|name)":"${word} `)).length - 1])) as Record<SourceName, number>

/** All objects of an answer that have a title or a name, however deep. */
export function itemsIn (data: unknown): Record<string, any>[] {
  if (typeof data !== 'object' || data === null) return []
  const below = Object.values(data).flatMap(itemsIn)
  const { title, name } = data as Record<string, unknown>
  return typeof (title ?? name) === 'string' ? [data, ...below] : below
}

/** What people read of an item. */
export const nameOf = ({ title, name }: Record<string, any>): string => title ?? name

/** Whether an item is of another source than the folder, by its name. */
export const isOfOthers = (item: Record<string, any>): boolean =>
  new RegExp(`\\b(?:${words.subsonic}|${words.attic}|${words.friend}) `).test(nameOf(item))
