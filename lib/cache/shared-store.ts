import type { ReadMethod } from '../contract/operations.ts'
import type { News } from './changes.ts'
import type { KeptAnswer } from './kept-answers.ts'
import type { CachePolicy } from './policies.ts'

/** Where the answer to a question is kept. */
export interface Place {
  readonly key: string
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for answers that are the same for all accounts. */
  readonly account: string | undefined
  readonly policy: CachePolicy
}

/** What became of a call: an answer that is kept, or one that is only sent. */
export type Landing =
  | { readonly kept: KeptAnswer }
  | { readonly body: string, readonly isPersonal: boolean }

/** A flight, as the store sees it. */
export interface SharedFlight {
  readonly place: Place
  /** Calls the adapter. */
  call (): Promise<Landing>
  /** An error of the call, without the secrets of the client that started it. */
  shareable (error: unknown): Error
  /** The answer of another replica, if it is new enough. */
  accept (answer: KeptAnswer): Landing | undefined
  /** Whether nobody waits for it any more. */
  readonly isOver: boolean
  /** Whether something changed since it began, so that what comes of it is not for those who ask from then on. */
  readonly isBeforeChange: boolean
}

/** The cache, as its store sees it. */
export interface StoreOwner {
  warn (message: string): void
  /** Another replica says what became old. */
  learn (news: News): void
  /** News may have been lost. */
  forgetAll (): void
  isOld (news: News, answer: KeptAnswer): boolean
}

/** Kept answers of all replicas. Opaque to authors: `redisStore` makes one. */
export abstract class SharedStore {
  /** Called once, at registration. */
  abstract open (owner: StoreOwner): void
  /**
   * The answer of another replica, or a call of this one while the others wait for it. Of the store's own failures
   * nothing is thrown: then this replica calls.
   *
   * @throws what the call throws, here or on another replica
   */
  abstract fetch (flight: SharedFlight): Promise<Landing>
  /** Tells all replicas, and whoever reads later. Never fails. */
  abstract tell (news: News, owners: readonly (string | undefined)[]): Promise<void>
  abstract close (): Promise<void>
}
