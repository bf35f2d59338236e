import type { Album } from '../../../schemas/index.ts'
import { developmentPath } from '../../contract/operations.ts'
import type { LibraryKind, LibraryQuery, LibraryQuestion } from '../../contract/source-library.ts'
import { isObject } from '../../options/is-object.ts'
import { dataIn } from '../probe/check-answer.ts'
import type { Answer, Probe } from '../probe/create-probe.ts'
import type { Inspection } from '../probe/inspection.ts'
import type { RuleId } from '../rules.ts'

/** The maximum length of the ids of one call in characters, since they are sent in a URL. */
const mostCharacters = 4000

/** An item of the source with its extras. */
export interface Shown {
  readonly item: Partial<Omit<Album, 'id'>> & { readonly id: string, readonly album?: Album }
  readonly extras?: Readonly<Record<string, unknown>>
}

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
    default: return `library.${question.ask}('${question.kind}')`
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

  /** @returns `undefined` if the call fails */
  async ask (question: LibraryQuestion): Promise<unknown> {
    const answer = await this.#send(question)
    if (answer.status === 200) return dataIn(answer.text)
    const where = { operation: 'status', request: nameOf(question), headers: answer.headers } as const
    this.#inspection.find('library-answer', where, `${nameOf(question)} answered ${answer.failure ?? answer.status}`)
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
      this.find('library-answer', question, 'is not a list of ids')
      return undefined
    }
    if (new Set(ids).size !== ids.length) this.find('library-repeats', question, 'has an id twice')
    return ids
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
