import { atOnce } from '../options/at-once.ts'
import {
  concerns, isChangedBy, isMeantBy, type Affected, type Change, type News
} from './changes.ts'
import type { Reports } from './reports.ts'
import type { Place } from './shared-store.ts'
import type { SourceCacheOptions } from './source-cache-options.ts'

/** Says what news make old: by the rules of the contract, and by the option `affects`. */
export class Judge {
  readonly #affects: SourceCacheOptions['affects']
  readonly #reports: Reports

  constructor (affects: SourceCacheOptions['affects'], reports: Reports) {
    this.#affects = affects
    this.#reports = reports
  }

  isOld (news: News, answer: Affected): boolean {
    return 'change' in news
      ? isChangedBy(news.change, answer) || this.#isAffected(news.change, answer)
      : isMeantBy(news.forget, answer)
  }

  /** Whether the answer of a call that is under way may be old when it comes. */
  mayConcern (news: News, { operation, args, account }: Place): boolean {
    if ('change' in news) {
      return concerns(news.change, account) || this.#isAffected(news.change, { operation, args, account })
    }
    return isMeantBy({ ...news.forget, id: undefined }, { operation, args, account, body: '' })
  }

  /** Whose answers a change may make old; `undefined` stands for the public ones. */
  ownersOf (change: Change): (string | undefined)[] {
    const isEverywhere = concerns(change, undefined) || this.#affects !== undefined
    return [...change.account === undefined ? [] : [change.account], ...isEverywhere ? [undefined] : []]
  }

  #isAffected (change: Change, answer: Omit<Affected, 'body'>): boolean {
    if (this.#affects === undefined || (answer.account !== undefined && answer.account !== change.account)) return false
    const { operation, args } = answer
    try {
      return atOnce('affects', this.#affects({ operation: change.operation, args: change.args }, { operation, args }))
    } catch (error) {
      const reason = (error as Error)?.message
      this.#reports.warnOnce('affects', `The option affects threw, so the answer is forgotten: ${reason}`)
      return true
    }
  }
}
