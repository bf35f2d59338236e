import { plainName } from '../scan/identify.ts'
import { variousArtists } from '../scan/name-track.ts'

/** What stands between an artist and guests in one text. */
const beforeGuests = / (?:feat\.|ft\.|featuring|with|vs\.?|x|×|&|and) /gi

interface Found { readonly name: string, whole: number, first: number }

/** The artists of a track by their plain names, and those that may have guests in the same text. */
function namesIn (artists: readonly string[]): Map<string, Found> {
  const names = new Map<string, Found>()
  for (const artist of artists) {
    for (const { index } of artist.matchAll(beforeGuests)) {
      const name = artist.slice(0, index)
      names.set(plainName(name), { name, whole: 0, first: 0 })
    }
  }
  artists.forEach((name, at) => names.set(plainName(name), { name, whole: 1, first: at === 0 ? 1 : 0 }))
  return names
}

/**
 * The artists that all tracks of an album have in common: those that all of them name, else the one that is alone on
 * some of them and has guests on others.
 *
 * @param lists the artists of each track; read until there is none in common
 * @returns their plain names
 */
export function commonArtists (lists: Iterable<readonly string[]>): string[] {
  let common: Map<string, Found> | undefined
  let count = 0
  for (const artists of lists) {
    count++
    const names = namesIn(artists)
    for (const [key, found] of common ?? []) {
      const same = names.get(key)
      if (same === undefined) continue
      same.whole += found.whole
      same.first += found.first
    }
    common = new Map([...names].filter(([key]) => common?.has(key) !== false))
    if (common.size === 0) return []
  }
  const alone = [...common ?? []].filter(([, { whole }]) => whole > 0)
  const sorted = alone.sort(([, a], [, b]) => b.whole - a.whole || b.first - a.first).map(([key]) => key)
  const named = sorted.filter(key => common!.get(key)!.whole === count)
  return named.length > 0 ? named : sorted.slice(0, 1)
}

/** How a track writes the artists of its album. */
export function albumArtistsOf (artists: readonly string[], common: readonly string[]): string[] {
  const found = [...namesIn(artists)].filter(([key]) => common.includes(key)).map(([, { name }]) => name)
  return found.length > 0 ? found : [variousArtists]
}
