import type { Track } from '../../../schemas/index.ts'
import { idsIn } from '../probe/call-operation.ts'
import { walkData } from '../probe/create-pool.ts'
import type { Location } from '../probe/findings.ts'
import { schemaOf, type Inspection } from '../probe/inspection.ts'

/** The lists of favourites by schema. They are complete. */
const favoritesOf = { Track: 'userFavoriteTracks', Artist: 'userArtists', Album: 'userAlbums' } as const

type Item = Readonly<Record<string, unknown>>

/** The maximum difference in milliseconds of two rounded durations of one track, and of a date and its year. */
const [rounding, year] = [1000, 366 * 24 * 3600 * 1000]

/** Returns whether two numbers contradict each other. 0 is unknown, and invalid values have a finding already. */
const areFar = (tolerance: number) => (one: unknown, other: unknown) =>
  typeof one === 'number' && typeof other === 'number' && one > 0 && other > 0 && Math.abs(one - other) > tolerance

const areOthers = (one: unknown, other: unknown) =>
  typeof one === 'string' && typeof other === 'string' && one !== other

const areOtherAlbums = (one: unknown, other: unknown) =>
  areOthers((one as Item | null)?.id, (other as Item | null)?.id)

/** Artists may be named as on the cover, so only lists without a common artist contradict each other. */
function areOtherArtists (one: unknown, other: unknown): boolean {
  const [ids, others] = [one, other].map(list => idsIn(list).filter(id => typeof id === 'string' && id !== ''))
  return ids!.length > 0 && others!.length > 0 && !ids!.some(id => others!.includes(id))
}

type Differ = (one: unknown, other: unknown) => boolean

/** Properties that lists and details of an item share, and when two values contradict each other. */
const constant: Readonly<Record<string, Readonly<Record<string, Differ>>>> = {
  Track: { title: areOthers, durationMs: areFar(rounding), album: areOtherAlbums, artists: areOtherArtists },
  Album: { name: areOthers, trackCount: areFar(0), publishTime: areFar(year) },
  Playlist: { name: areOthers, trackCount: areFar(0) }
}

const wordsOf = (value: unknown) => Array.isArray(value)
  ? idsIn(value).join(', ')
  : typeof value === 'object' ? (value as Track['album']).id : String(value)

/** Compares the responses about an item. */
export function compareItems (inspection: Inspection): void {
  const known = new Map<string, Item>()
  const contradiction = createContradiction(inspection)
  for (const seen of inspection.seen) {
    const { operation, request, data } = seen
    expectStates(inspection, seen, data)
    const asked = new URLSearchParams(request.replace(/^[^?]*/, '')).get('id')
    walkData(schemaOf(seen), data, (schema, object, path) => {
      const name = schema.replace(/Detail$/, '')
      // A wrong item in a detail is a separate finding.
      const isWrong = path === '/data' && object.id !== asked
      const state = isWrong ? undefined : contradiction(name, object)
      if (state !== undefined) {
        inspection.find('favorite-state', { operation, request, path: `${path}/favorite` }, state)
      }
      const key = `${name} ${object.id}`
      const before = known.get(key)
      if (before === undefined) known.set(key, object)
      if (before === undefined || path !== '/data' || isWrong) return
      for (const [member, differ] of Object.entries(constant[name] ?? {})) {
        if (!differ(before[member], object[member])) continue
        const seen = `is ${wordsOf(object[member])}, and in an earlier answer ${wordsOf(before[member])}`
        const rule = member === 'trackCount' ? 'track-count' : 'detail-differs'
        inspection.find(rule, { operation, request, path: `${path}/${member}` }, seen)
      }
    })
  }
}

/** Adds a finding if no item of a list of favourites has the member `favorite`. */
export function expectStates ({ find }: Inspection, where: Location, data: unknown): void {
  const isList = Object.values<unknown>(favoritesOf).includes(where.operation) && Array.isArray(data) && data.length > 0
  const isKnown = isList && data.some(item => typeof item?.favorite === 'boolean')
  if (isList && !isKnown) find('favorite-state', where, 'no item has the member favorite')
}

/** Returns how an item contradicts the lists of favourites. */
function createContradiction ({ seen }: Inspection) {
  const listed = new Map(Object.entries(favoritesOf).flatMap(([name, method]) => {
    const list = seen.find(({ operation }) => operation === method)
    return !Array.isArray(list?.data) ? [] : [[name, { method, ids: new Set(idsIn(list.data)) }] as const]
  }))
  return (name: string, { id, favorite }: Item): string | undefined => {
    const list = listed.get(name)
    if (list === undefined || typeof favorite !== 'boolean' || favorite === list.ids.has(id)) return undefined
    return `is ${favorite}, and ${list.method} ${favorite ? 'lacks' : 'has'} ${id}`
  }
}
