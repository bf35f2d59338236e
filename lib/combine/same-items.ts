import { extras } from '../../schemas/extras.ts'
import type { Album, Artist, Track } from '../../schemas/index.ts'
import { foldText } from '../text/names.ts'
import { idsIn, mergedId, splitId } from './combined-ids.ts'

/** Milliseconds that two recordings of the same names may differ by, and be the same. */
const longestDifference = 2000

interface Group { item: any, readonly sources: Set<string>, readonly keys: ReadonlySet<string> }

/** What makes an item the same as others, by the schema that it has; what is not here is the same as no other. */
interface Rule {
  /** What says for certain which one it is. */
  readonly keys: (item: any) => readonly string[]
  /** Its names, folded. */
  readonly names: (item: any) => readonly unknown[]
}

const musicBrainz = ({ [extras]: more }: Album | Artist | Track) =>
  more?.musicBrainzId ? [`mb ${more.musicBrainzId}`] : []

const isrcs = (track: Track) =>
  (track[extras]?.isrc ?? []).map(isrc => `isrc ${isrc.replace(/[\s-]/g, '').toUpperCase()}`)

const rules: Readonly<Record<string, Rule>> = {
  Track: {
    keys: (track: Track) => [...isrcs(track), ...musicBrainz(track)],
    names: ({ title, artists, album }: Track) =>
      [title, artists?.map(({ name }) => foldText(String(name))).sort(), album?.name]
  },
  Album: { keys: musicBrainz, names: ({ name, artistName }: Album) => [name, artistName] },
  Artist: { keys: musicBrainz, names: ({ name }: Artist) => [name] }
}

const sourcesOf = (id: string) => idsIn(id).map(id => splitId(id)!.source)

/** The same item of several sources as one: with the id and the qualities of all. */
export function mergeItems<T extends { id: string }> (first: T, other: any): T {
  const { favorite, qualities = [] }: Partial<Track> = first as object
  const more = (other.qualities ?? []).filter(({ key }: { key: string }) => !qualities.some(known => known.key === key))
  return {
    ...first,
    id: mergedId([first.id, other.id]),
    ...(favorite ?? other.favorite) !== undefined && { favorite: Boolean(favorite || other.favorite) },
    ...qualities.length + more.length > 0 && { qualities: [...qualities, ...more] },
    ...'fee' in first && { fee: Boolean(first.fee && other.fee) }
  }
}

/**
 * Items of several sources, of which those are one that are the same: by ISRC or MusicBrainz id where both have some,
 * else by the exact folded names, tracks of the same length. What one source has twice stays twice.
 *
 * @param schema name of the schema of the items
 */
export function mergeSame (items: readonly any[], schema: string): any[] {
  const rule = rules[schema]
  if (rule === undefined) return [...items]
  const groups: Group[] = []
  const found = new Map<string, Group[]>()
  for (const item of items) {
    if (typeof item?.id !== 'string' || item.id === '') {
      groups.push({ item, sources: new Set(), keys: new Set() })
      continue
    }
    const sources = sourcesOf(item.id)
    const keys = new Set(rule.keys(item))
    const text = foldText(JSON.stringify(rule.names(item)))
    const isOther = (group: Group) => sources.every(source => !group.sources.has(source))
    const mayBe = (group: Group) => (keys.size === 0 || group.keys.size === 0) && isAsLong(group.item, item)
    const known = [...keys].flatMap(key => found.get(key) ?? []).find(isOther) ??
      found.get(text)?.find(group => isOther(group) && mayBe(group))
    const group = known ?? { item, sources: new Set(), keys }
    if (known === undefined) groups.push(group)
    else group.item = mergeItems(group.item, item)
    for (const source of sources) group.sources.add(source)
    for (const key of [...keys, text]) found.set(key, [...new Set([...found.get(key) ?? [], group])])
  }
  return groups.map(({ item }) => item)
}

const isAsLong = ({ durationMs: a = 0 }: Partial<Track>, { durationMs: b = 0 }: Partial<Track>) =>
  Math.abs(a - b) <= longestDifference
