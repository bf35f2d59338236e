import { discard, mostOfError } from '../async/unawaited.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import { operationOf, type AdapterMethod } from '../contract/operations.ts'
import { partialOf } from '../contract/partial.ts'
import { loggable } from '../errors/loggable.ts'
import { isReported } from '../errors/reported.ts'
import type { AskedSource } from './asked-source.ts'
import { isOutage, type StateLog } from './source-states.ts'

/** What is told of a source that is missing from an answer. */
export interface MissingSource {
  /** Id and name of the source. */
  readonly source: string
  readonly name: string
  /** The adapter method that was asked. */
  readonly operation: string
  readonly error: unknown
}

export interface GatherOptions {
  readonly log?: StateLog | undefined
  readonly onPartial?: ((missing: MissingSource) => void | Promise<void>) | undefined
}

/** The reason why a source has no part in an answer is known already. */
export class SourceIsOut extends Error {}

/** One question to several sources: who has not answered is told once, and has no part in the answer. */
export class Gathering {
  readonly #operation: AdapterMethod
  readonly #options: GatherOptions
  /** Milliseconds that each source that was asked has taken. */
  readonly #taken = new Map<AskedSource, number>()
  readonly #failed = new Map<AskedSource, unknown>()
  /** Sources that do not offer what was asked for, or do not have it any more. */
  readonly #refused = new Map<AskedSource, unknown>()

  /** What sources lack that are combinations themselves. */
  readonly #parts = new Set<string>()
  readonly #isById: boolean

  constructor (operation: AdapterMethod, options: GatherOptions) {
    this.#operation = operation
    this.#isById = operationOf(operation).parameters.includes('id')
    this.#options = options
  }

  isOut (source: AskedSource): boolean { return this.#failed.has(source) || this.#refused.has(source) }

  /**
   * Asks a source, within what is left of its time: what others take is not counted.
   *
   * @throws SourceIsOut
   */
  async ask<T> (source: AskedSource, args: readonly unknown[], read: (answer: any) => T | Promise<T>): Promise<T> {
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
   * Tells of the sources that have failed.
   *
   * @returns their ids
   * @throws what the first one has thrown where no source has answered
   */
  end (): string[] {
    const [failure] = [...this.#failed.values(), ...this.#refused.values()]
    if ([...this.#taken.keys()].every(source => this.isOut(source))) throw failure
    for (const [source, error] of this.#failed) tellMissing(this.#options, source, this.#operation, error)
    return [...[...this.#failed.keys()].map(({ id }) => id), ...this.#parts]
  }
}

/** Reports a source that is missing from a response. An outage is logged once, by the state of the source. */
export function tellMissing (
  { log, onPartial }: GatherOptions, { id: source, name, state }: AskedSource, operation: string, error: unknown
): void {
  if (!isReported(error) && (state === undefined || !isOutage(error))) {
    log?.warn({ err: loggable(error, []), source, operation }, `Answered without ${name}, which failed`)
  }
  const tell = async () => onPartial?.({ source, name, operation, error })
  tell().catch(thrown => log?.warn({ err: loggable(thrown, []) }, 'onPartial failed'))
}

/** What all of them give, when all have ended: what one throws does not leave the others at work. */
export async function allSettled<T> (promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
