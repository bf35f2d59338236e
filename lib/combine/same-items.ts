import { type ArtistExtras, extras, type TrackExtras } from '../../schemas/extras.ts'
import type { Album, Artist, Track } from '../../schemas/index.ts'
import { foldName } from '../text/names.ts'
import { type CombinedIds, idsIn, mergedId } from './combined-ids.ts'

/** The maximum length difference, in milliseconds, of duplicates with equal names. */
const longestDifference = 2000
/**
 * The maximum length difference of tracks with one ISRC or MusicBrainz id, in milliseconds: some taggers set one id for
 * all parts of a work.
 */
const longestOfKeys = 10_000

interface Group {
  item: any
  readonly sources: Set<string>
  readonly place: number
  /** Whether the first item has keys. */
  readonly hasKeys: boolean
  /** The length of the first item, in multiples of the maximum difference. */
  readonly steps: number
}

/** The rule that detects duplicates in a schema. Schemas without a rule have no duplicates. */
interface Rule {
  /** Returns the ids that identify the item with certainty. */
  readonly keys: (item: any) => readonly string[]
  /** Returns the names that are compared. */
  readonly names: (item: any) => readonly unknown[]
}

const musicBrainz = ({ [extras]: more }: Album | Artist | Track) =>
  more?.musicBrainzId ? [`mb ${more.musicBrainzId}`] : []

const isrcs = (track: Track) =>
  (track[extras]?.isrc ?? []).map(isrc => `isrc ${isrc.replace(/[\s-]/g, '').toUpperCase()}`)

const folded = (name: unknown) => typeof name === 'string' ? foldName(name) : name

const rules: Readonly<Record<string, Rule>> = {
  Track: {
    keys: (track: Track) => [...isrcs(track), ...musicBrainz(track)],
    names: ({ title, artists, album }: Track) =>
      [title, artists?.map(({ name }) => foldName(String(name))).sort(), album?.name]
  },
  Album: { keys: musicBrainz, names: ({ name, artistName }: Album) => [name, artistName] },
  Artist: { keys: musicBrainz, names: ({ name }: Artist) => [name] }
}

type Extras = ArtistExtras & TrackExtras

/** Adds up the plays and albums of two duplicates. */
function mergeExtras (a: Extras, b: Extras): Extras {
  const merged: Record<string, unknown> = { ...a }
  for (const name of ['playCount', 'albumCount'] as const) {
    if (b[name] !== undefined) merged[name] = (a[name] ?? 0) + b[name]
  }
  if (b.played !== undefined && b.played > (a.played ?? '')) merged.played = b.played
  if (b.starred !== undefined && !(a.starred! <= b.starred)) merged.starred = b.starred
  return merged
}

/** Merges an item of several sources, with the ids and the qualities of all. */
export function mergeItems<T extends { id: string }> (first: T, other: any): T {
  const known: { [extras]?: Extras } & Partial<Track> = first as object
  const { favorite, qualities = [], [extras]: more } = known
  const others = (other.qualities ?? []).filter(({ key }: { key: string }) =>
    !qualities.some(quality => quality.key === key))
  return {
    ...first,
    id: mergedId([first.id, other.id]),
    ...(favorite ?? other.favorite) !== undefined && { favorite: Boolean(favorite || other.favorite) },
    ...qualities.length + others.length > 0 && { qualities: [...qualities, ...others] },
    ...more && other[extras] && { [extras]: mergeExtras(more, other[extras]) },
    ...'fee' in first && { fee: Boolean(first.fee && other.fee) }
  }
}

/** Groups that share a name or key, in order. Each is visited once for each source. */
class Groups {
  readonly #groups = new Set<Group>()
  readonly #list: Group[] = []
  /** The index of the first group that may lack a source. */
  readonly #from = new Map<string, number>()

  add (group: Group): void {
    if (this.#groups.has(group)) return
    this.#groups.add(group)
    this.#list.push(group)
  }

  /** Returns the first matching group that has no item of these sources. */
  firstWithout (sources: readonly string[], matches: (group: Group) => boolean): Group | undefined {
    let from = this.#from.get(sources[0]!) ?? 0
    while (this.#list[from]?.sources.has(sources[0]!)) from++
    this.#from.set(sources[0]!, from)
    for (let at = from; at < this.#list.length; at++) {
      const group = this.#list[at]!
      if (sources.every(source => !group.sources.has(source)) && matches(group)) return group
    }
    return undefined
  }
}

function earliest (groups: readonly (Group | undefined)[]): Group | undefined {
  const known = groups.filter(group => group !== undefined)
  return known.length === 0 ? undefined : known.reduce((first, group) => group.place < first.place ? group : first)
}

/** The duplicates found so far. */
class SameItems {
  readonly groups: Group[] = []
  readonly #rule: Rule
  readonly #ids: CombinedIds
  readonly #found = new Map<string, Groups>()

  constructor (rule: Rule, ids: CombinedIds) {
    this.#rule = rule
    this.#ids = ids
  }

  add (item: any): void {
    const isItem = typeof item?.id === 'string' && item.id !== ''
    const sources = isItem ? idsIn(item.id).map(id => this.#ids.split(id)!.source) : []
    const keys = isItem ? this.#rule.keys(item) : []
    const steps = Math.floor((item?.durationMs ?? 0) / longestDifference)
    const own = { item, sources: new Set(sources), place: this.groups.length, hasKeys: keys.length > 0, steps }
    const text = isItem ? JSON.stringify(this.#rule.names(item).map(folded)) : ''
    const known = isItem ? this.#byKeys(keys, own) ?? this.#byNames(text, own) : undefined
    if (known === undefined) this.groups.push(own)
    else {
      known.item = mergeItems(known.item, item)
      for (const source of sources) known.sources.add(source)
    }
    if (!isItem) return
    const group = known ?? own
    for (const key of [...keys, named(text, group)]) {
      const groups = this.#found.get(key) ?? new Groups()
      this.#found.set(key, groups)
      groups.add(group)
    }
  }

  /** Finds a group by keys. Items without a length match any length. */
  #byKeys (keys: readonly string[], { item, sources }: Group): Group | undefined {
    const isClose = (group: Group) =>
      !item.durationMs || !group.item.durationMs || isAsLong(group.item, item, longestOfKeys)
    return earliest(keys.map(key => this.#found.get(key)?.firstWithout([...sources], isClose)))
  }

  /** Finds a group by names. Names count only if one of the two items has no keys. */
  #byNames (text: string, { item, sources, hasKeys, steps }: Group): Group | undefined {
    const places = (hasKeys ? [false] : [false, true]).flatMap(hasKeys =>
      [steps - 1, steps, steps + 1].map(steps => named(text, { hasKeys, steps })))
    return earliest(places.map(key =>
      this.#found.get(key)?.firstWithout([...sources], group => isAsLong(group.item, item))))
  }
}

/** Returns the index key of a group by names. */
const named = (text: string, { hasKeys, steps }: Pick<Group, 'hasKeys' | 'steps'>) => `${hasKeys} ${steps} ${text}`

/**
 * Merges duplicates from several sources: by ISRC or MusicBrainz id if both items have one, else by exact folded names,
 * and for tracks by equal length. Duplicates within one source are not merged.
 *
 * @param schema name of the schema of the items
 */
export function mergeSame (items: readonly any[], schema: string, ids: CombinedIds): any[] {
  const rule = rules[schema]
  if (rule === undefined) return [...items]
  const same = new SameItems(rule, ids)
  for (const item of items) same.add(item)
  return same.groups.map(({ item }) => item)
}

const isAsLong = (
  { durationMs: a = 0 }: Partial<Track>, { durationMs: b = 0 }: Partial<Track>, most = longestDifference
) => Math.abs(a - b) <= most
