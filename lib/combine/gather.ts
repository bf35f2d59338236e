import { discard, mostOfError } from '../async/unawaited.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import { operationOf, type AdapterMethod } from '../contract/operations.ts'
import { partialOf } from '../contract/partial.ts'
import { loggable } from '../errors/loggable.ts'
import { isReported } from '../errors/reported.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { isOutage, type StateLog } from './source-states.ts'

/** The details of a source that is missing from a response. */
export interface MissingSource {
  /** The id of the source. */
  readonly source: string
  readonly name: string
  /** The adapter method that was called. */
  readonly operation: string
  readonly error: unknown
}

export interface GatherOptions {
  readonly log?: StateLog | undefined
  readonly onPartial?: ((missing: MissingSource) => void | Promise<void>) | undefined
}

/** The error of a source whose failure has been recorded already. */
export class SourceIsOut extends Error {}

/** A call of several sources. A failed source is reported once, and the response omits it. */
export class Gathering {
  readonly #operation: AdapterMethod
  readonly #options: GatherOptions
  /** The elapsed milliseconds of each called source. */
  readonly #taken = new Map<NamespacedSource, number>()
  readonly #failed = new Map<NamespacedSource, unknown>()
  /** Sources that do not offer the operation, or no longer have the item. */
  readonly #refused = new Map<NamespacedSource, unknown>()

  /** Sources missing from responses of nested combinations. */
  readonly #parts = new Set<string>()
  readonly #isById: boolean

  constructor (operation: AdapterMethod, options: GatherOptions) {
    this.#operation = operation
    this.#isById = operationOf(operation).parameters.includes('id')
    this.#options = options
  }

  isOut (source: NamespacedSource): boolean { return this.#failed.has(source) || this.#refused.has(source) }

  /**
   * Calls a source within the rest of its timeout. The time of other sources does not count.
   *
   * @throws SourceIsOut
   */
  async ask<T> (source: NamespacedSource, args: readonly unknown[], read: (answer: any) => T | Promise<T>): Promise<T> {
    const { timeout } = source
    const taken = this.#taken.get(source) ?? 0
    this.#taken.set(source, taken)
    const left = timeout === 0 ? 0 : Math.max(1, timeout - taken)
    const began = performance.now()
    try {
      const answer = source.ask(this.#operation, args)
      return await withTimeout(async () => {
        for (const missing of partialOf(await answer)) this.#parts.add(missing)
        return read(await answer)
      }, { timeout: left, error: () => source.timeOut(answer) })
        .finally(() => this.#taken.set(source, taken + performance.now() - began))
    } catch (error) {
      discard(error, mostOfError)
      const isAnswer = error instanceof UnsupportedFeatureError || (this.#isById && error instanceof NotFoundError)
      const out = isAnswer ? this.#refused : this.#failed
      out.set(source, error)
      source.fail(error)
      throw new SourceIsOut()
    }
  }

  /**
   * Reports the failed sources.
   *
   * @returns their ids
   * @throws the first error if no source has responded
   */
  end (): string[] {
    const [failure] = [...this.#failed.values(), ...this.#refused.values()]
    if ([...this.#taken.keys()].every(source => this.isOut(source))) throw failure
    for (const [source, error] of this.#failed) reportMissing(this.#options, source, this.#operation, error)
    return [...[...this.#failed.keys()].map(({ id }) => id), ...this.#parts]
  }
}

/** Reports a source that is missing from a response. An outage is logged once, by the state of the source. */
export function reportMissing (
  { log, onPartial }: GatherOptions, { id: source, name, state }: NamespacedSource, operation: string, error: unknown
): void {
  if (!isReported(error) && (state === undefined || !isOutage(error))) {
    log?.warn({ err: loggable(error, []), source, operation }, 'source skipped')
  }
  const tell = async () => onPartial?.({ source, name, operation, error })
  tell().catch(thrown => log?.warn({ err: loggable(thrown, []) }, 'partial callback failed'))
}

/**
 * Waits for all promises, then returns their results or throws the first error. A failure does not leave others
 * running.
 */
export async function allSettled<T> (promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
