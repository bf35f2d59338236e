import { plainName } from '../scan/identify.ts'
import { variousArtists } from '../scan/name-track.ts'

/** Separators between an artist and guests in one string. */
const beforeGuests = / (?:feat\.|ft\.|featuring|with|vs\.?|x|×|&|and) /gi

interface Found { readonly name: string, whole: number, first: number }

/** Returns the artists of a track by their plain names, and marks strings that may contain guests. */
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
 * Returns the artists that all tracks of an album share: artists named by all tracks, else the one that is alone on
 * some and has guests on others.
 *
 * @param lists the artists of each track; read until none is shared
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

/** Returns the album artists in a track's spelling. */
export function albumArtistsOf (artists: readonly string[], common: readonly string[]): string[] {
  const found = [...namesIn(artists)].filter(([key]) => common.includes(key)).map(([, { name }]) => name)
  return found.length > 0 ? found : [variousArtists]
}
