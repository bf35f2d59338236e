import { Type } from '@sinclair/typebox'
import { extras } from '../../../schemas/extras.ts'
import { AlbumSchema, ArtistSchema, TrackSchema, type Album, type Track } from '../../../schemas/index.ts'
import { developmentPath } from '../../contract/operations.ts'
import type { LibraryItems, LibraryKind, LibraryQuery, LibraryQuestion } from '../../contract/source-library.ts'
import { isObject } from '../../options/is-object.ts'
import { dataIn } from '../probe/check-answer.ts'
import { addToPool } from '../probe/create-pool.ts'
import type { Answer, Probe } from '../probe/create-probe.ts'
import type { Location } from '../probe/findings.ts'
import type { Inspection, Seen } from '../probe/inspection.ts'
import type { RuleId } from '../rules.ts'

/** The maximum length of the ids of one call in characters, since they are sent in a URL. */
const mostCharacters = 4000

/** The maximum number of items of one call, as in docs/reference/library.md. */
export const mostAtATime = 200

const schemas = { artists: Type.Array(ArtistSchema), albums: Type.Array(AlbumSchema), tracks: Type.Array(TrackSchema) }

/** An item of the source with its extras. */
export interface Shown {
  readonly item: Partial<Omit<Album & Track, 'id'>> & { readonly id: string }
  readonly extras?: Readonly<Record<string, unknown>>
}

/** The maximum number of items of one list that are checked. */
export const mostItems = 50
/** An id, and a genre, that no library has. */
export const madeUp = 'no-such-id-0f9d3c'

/** Returns an item as the library returned it: JSON omits the extras. */
export const itemOf = ({ item, extras: more }: Shown) =>
  ({ ...item, [extras]: more }) as unknown as LibraryItems[LibraryKind]

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Returns a sample of a list, spread from its first to its last item. */
export function spread<T> (list: readonly T[], count: number): T[] {
  const step = Math.max(1, (list.length - 1) / Math.max(1, count - 1))
  return Array.from({ length: Math.min(count, list.length) }, (_, at) => list[Math.round(at * step)]!)
}

/** Returns a call in the notation of authors. */
function nameOf (question: LibraryQuestion): string {
  switch (question.ask) {
    case 'ids': return `library.ids(${JSON.stringify(question.query)})`
    case 'state': return 'library.revision'
    case 'randomIds': return `library.randomIds(${JSON.stringify(question.query)}, ${question.count})`
    default: {
      const count = question.ask === 'items' && typeof question.ids === 'number' ? ` of ${question.ids} ids` : ''
      return `library.${question.ask}('${question.kind}')${count}`
    }
  }
}

/** Queries the library of a source of this package in development. Invalid responses are findings. */
export class LibraryQuestions {
  readonly #inspection: Inspection
  readonly #probe: Probe

  constructor (inspection: Inspection, probe: Probe) {
    this.#inspection = inspection
    this.#probe = probe
  }

  get samples (): number { return this.#inspection.samples }

  find (rule: RuleId, question: LibraryQuestion, message: string): void {
    const request = nameOf(question)
    this.#inspection.find(rule, { operation: 'status', request }, `${request} ${message}`)
  }

  /** Adds a finding about an operation whose response contradicts the library. */
  findAt (rule: RuleId, where: Location, message: string): void { this.#inspection.find(rule, where, message) }

  /** The details of albums that were requested so far, without a limit of tracks. */
  detailsOfAlbums (): Seen[] {
    return this.#inspection.seen.filter(({ operation, request, data }) =>
      operation === 'getAlbumDetail' && !request.includes('trackLimit=') && isText((data as Partial<Album>).id))
  }

  /** @returns `undefined` if the call fails */
  async ask (question: LibraryQuestion): Promise<unknown> {
    const answer = await this.#send(question)
    if (answer.status === 200) return dataIn(answer.text)
    const { failure = answer.status === 504 ? 'timeout' : undefined, headers } = answer
    const where = { operation: 'status', request: nameOf(question), headers } as const
    const seen = `${nameOf(question)} answered ${answer.failure ?? answer.status}`
    this.#inspection.find(failure ?? 'library-answer', where, seen)
    return undefined
  }

  /** @returns `undefined` if the source does not have this path. Only sources in development have it */
  async state (): Promise<{ readonly revision?: unknown, readonly changedAt?: unknown } | undefined> {
    const { text } = await this.#send({ ask: 'state' })
    const data = dataIn(text)
    return isObject(data) && 'revision' in data ? data : undefined
  }

  async ids (query: LibraryQuery): Promise<readonly string[] | undefined> {
    const question = { ask: 'ids', query } as const
    const ids = await this.ask(question)
    if (ids === undefined) return undefined
    if (!Array.isArray(ids) || !ids.every(isText)) {
      const wrong = Array.isArray(ids) ? ids.find(id => !isText(id)) : ids
      const place = Array.isArray(ids) ? 'among' : 'instead of'
      this.find('library-answer', question, `has ${JSON.stringify(wrong)} ${place} ids`)
      return undefined
    }
    if (new Set(ids).size !== ids.length) this.find('library-repeats', question, 'has an id twice')
    return ids
  }

  /** Returns the ids of a query, and none if the call fails. */
  async idsOrNone (query: LibraryQuery): Promise<readonly string[]> { return await this.ids(query) ?? [] }

  /** Adds the first items of all lists to those that are requested by id and compared. Failures are ignored. */
  async remember (): Promise<void> {
    if (this.#inspection.gaveUp) return
    for (const kind of ['albums', 'artists', 'tracks'] as const) {
      const question = { ask: 'items', kind, ids: mostAtATime } as const
      const shown = dataIn((await this.#send(question)).text)
      if (!Array.isArray(shown)) continue
      const data = shown.filter(isObject).map(({ item }) => item)
      const schema = schemas[kind]
      this.#inspection.seen.push({ operation: 'status', request: nameOf(question), data, schema })
      addToPool(this.#inspection.pool, schema, data)
    }
  }

  /** Notes the number of items of a kind, of which the check has requested a sample. */
  count (kind: LibraryKind, known: number): void {
    const tag = kind.slice(0, -1)
    const { sampled } = this.#inspection
    if (sampled[tag] !== undefined) sampled[tag] = { ...sampled[tag], known: Math.max(known, sampled[tag].known) }
  }

  /** Returns some items of a list of ids. */
  async items (kind: LibraryKind, list: readonly string[], count: number): Promise<Shown[]> {
    let left = mostCharacters
    const ids = spread(list, count).filter(id => (left -= encodeURIComponent(id).length) >= 0)
    const question = { ask: 'items', kind, ids } as const
    const items = await this.ask(question) as readonly (Shown | null)[] | undefined
    if (items === undefined) return []
    const at = items.findIndex((shown, at) => shown?.item.id !== ids[at])
    if (at !== -1) this.find('library-items', question, `has ${items[at]?.item.id ?? 'nothing'} for ${ids[at]}`)
    return items.filter(shown => shown !== null)
  }

  #send (question: LibraryQuestion): Promise<Answer> {
    const path = `${developmentPath}?library=${encodeURIComponent(JSON.stringify(question))}`
    return this.#probe.ask({ method: 'GET', path })
  }
}
