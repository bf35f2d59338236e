import type { TSchema } from '@sinclair/typebox'
import type { Status } from '../../../schemas/index.ts'
import { requestOf } from '../../client/internal.ts'
import type { Operation } from '../../contract/operations.ts'
import { schemasOf } from '../../contract/schemas-of.ts'
import { callOperation, foreign, idsIn, sendable, unknownId, type Called } from '../probe/call-operation.ts'
import { expectStatus } from '../probe/check-answer.ts'
import type { Inspection } from '../probe/inspection.ts'
import type { RuleId } from '../rules.ts'

type Parameters = Record<string, unknown>

/** The minimum number of tracks. With at least three, a reversed order moves two of them. */
const differentTracks = 3

/**
 * Sends every read operation values that it must reject and values that it must accept (docs/reference/contract.md,
 * Operations).
 */
export async function checkParameters (inspection: Inspection): Promise<void> {
  await Promise.all(inspection.answered.flatMap(operation => new CheckedParameters(inspection, operation).check()))
}

/** Checks the parameters of an operation that has succeeded. */
class CheckedParameters {
  readonly #inspection: Inspection
  readonly #operation: Operation
  /** Parameters of a successful call. */
  readonly #good: Parameters

  constructor (inspection: Inspection, operation: Operation) {
    this.#inspection = inspection
    this.#operation = operation
    this.#good = inspection.good.get(operation.adapterMethod)!
  }

  get #sorts (): Status['playlistSortOptions'] { return this.#inspection.status?.playlistSortOptions ?? [] }

  check (): Promise<void>[] {
    const { adapterMethod, offeredBy } = this.#operation
    const { properties, required } = schemasOf(adapterMethod).parameters
    return [
      this.#accept('parameter-unknown', foreign, '1'),
      ...Object.entries<TSchema>(properties).flatMap(([name, rule]) => [
        ...this.#refusals(name, rule, required!.includes(name)),
        ...(name in offeredBy ? [this.#offered(name)] : [])
      ]),
      ...(required!.includes('id') ? [this.#unknown()] : []),
      ...('category' in properties ? [this.#useCategory()] : []),
      ...('sort' in properties ? [this.#useSort()] : [])
    ]
  }

  /** Replaces a parameter; several values repeat it, an empty list removes it. */
  #askWith (good: Parameters, name: string, values: readonly unknown[]) {
    const operation = this.#operation
    const { [name]: _replaced, ...rest } = good
    const request = requestOf(operation, operation.parameters.map(parameter => rest[parameter]))
    const query = values.map(value => `${name}=${encodeURIComponent(String(value))}`).join('&')
    const separator = query === '' ? '' : request.path.includes('?') ? '&' : '?'
    return this.#inspection.ask(operation.adapterMethod, { method: 'GET', path: request.path + separator + query })
  }

  async #refuse (rule: RuleId, name: string, values: readonly unknown[], more: Parameters = {}): Promise<void> {
    const answer = await this.#askWith({ ...this.#good, ...more }, name, values)
    expectStatus(this.#inspection.find, answer, 400, rule, ` to a bad ${name}`)
  }

  #refusals (name: string, rule: TSchema, required: boolean): Promise<void>[] {
    const no = (id: RuleId, values: readonly unknown[], more?: Parameters) => this.#refuse(id, name, values, more)
    const asked = this.#good[name]
    if (required) {
      return [
        no('parameter-missing', []),
        no('parameter-blank', [' ']),
        no('parameter-repeated', [asked, asked]),
        this.#accept('parameter-not-trimmed', name, ` ${asked} `)
      ]
    }
    if (rule.type === 'integer') {
      return [
        no('parameter-not-integer', ['x']),
        no('parameter-not-integer', ['1.5']),
        no('parameter-too-small', [rule.minimum - 1]),
        ...(rule.maximum === undefined ? [] : [no('parameter-too-large', [rule.maximum + 1])])
      ]
    }
    const [sort] = this.#sorts
    const isChoice = rule.anyOf !== undefined && sort !== undefined
    return isChoice ? [no('parameter-not-one-of', [foreign], { sort: sendable(sort.key) })] : []
  }

  /** Sends a value that must be accepted. */
  async #accept (rule: RuleId, name: string, value: string): Promise<void> {
    const answer = await this.#askWith(this.#good, name, [value])
    if (answer !== undefined && answer.status >= 400) {
      this.#inspection.find(rule, answer, `answered ${answer.status}`)
    }
  }

  /** Checks that every key in the status is accepted, and no other key. */
  async #offered (name: string): Promise<void> {
    const list = this.#inspection.status?.[this.#operation.offeredBy[name]!] ?? []
    if (list.length === 0) return
    const kind = name as 'quality' | 'sort'
    await this.#refuse(`${kind}-unknown`, name, [foreign])
    const track = this.#inspection.pool.track.get(String(this.#good.id))
    const had = new Set([track?.qualities].flat().map(quality => quality?.key))
    const given = new Map<string, unknown>()
    let last: Called | undefined
    for (const { key } of list) {
      // A track may be unplayable in this quality.
      const parameters = { ...this.#good, [name]: sendable(key) }
      const outcome = await callOperation(this.#inspection, this.#operation, parameters, [400, 404, 422])
      if (outcome.status === 400) this.#inspection.find(`${kind}-refused`, outcome, 'answered 400')
      if (kind === 'sort' || !had.has(key) || outcome.data === undefined) continue
      given.set(key, (outcome.data as { quality?: unknown }).quality)
      last = outcome
    }
    const [one, ...others] = new Set(given.values())
    if (given.size < 2 || others.length > 0 || !had.has(one as string)) return
    this.#inspection.find('quality-ignored', last!, `has ${one} for ${[...given.keys()].join(', ')}`)
  }

  /** Returns the ids of a call with additional parameters. */
  async #idsWith (more: Parameters): Promise<{ outcome: Called, ids: string }> {
    const outcome = await callOperation(this.#inspection, this.#operation, { ...this.#good, ...more }, [404])
    return { outcome, ids: idsIn(outcome.data).join(', ') }
  }

  /** Checks that two categories and the list of all do not have the same first page. */
  async #useCategory (): Promise<void> {
    const [one, other] = this.#inspection.pool.category.keys()
    if (other === undefined) return
    const all = await this.#idsWith({})
    const { outcome, ids } = await this.#idsWith({ category: one })
    if (ids === '' || ids !== all.ids || ids !== (await this.#idsWith({ category: other })).ids) return
    this.#inspection.find('category-ignored', outcome, `has what ${other} has, and what there is without a category`)
  }

  /** Checks that at least one sort order changes the order of the items. */
  async #useSort (): Promise<void> {
    const given = await this.#idsWith({})
    let last: Called | undefined
    for (const { key } of this.#sorts) {
      for (const order of ['asc', 'desc']) {
        const { outcome, ids } = await this.#idsWith({ sort: sendable(key), order })
        if (ids !== given.ids) return
        last = outcome
      }
    }
    const isSeen = last !== undefined && new Set(given.ids.split(', ')).size >= differentTracks
    if (isSeen) this.#inspection.find('sort-ignored', last!, 'is in the order that it has without sort')
  }

  async #unknown (): Promise<void> {
    expectStatus(this.#inspection.find, await this.#askWith({}, 'id', [unknownId]), 404, 'unknown-id')
  }
}
