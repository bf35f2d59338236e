import type { IdsOf } from '../contract/merged-items.ts'
import type { AdapterMethod, MutationMethod, ReadMethod } from '../contract/operations.ts'
import type { OperationData, SourceAdapter } from '../contract/source-adapter.ts'
import type { SourceChanges } from '../contract/source-extras.ts'
import type { Change } from './answer-cache.ts'

type Method<M extends AdapterMethod> = NonNullable<SourceAdapter[M]>
export type ArgumentsOf<M extends AdapterMethod> = Parameters<Method<M>>
export type AnswerOf<M extends AdapterMethod> = OperationData[M]

type ExtraMethod = keyof SourceChanges
export type ExtraArguments<M extends ExtraMethod> = Parameters<NonNullable<SourceChanges[M]>>
export type ExtraAnswer<M extends ExtraMethod> = Awaited<ReturnType<NonNullable<SourceChanges[M]>>>

/** A mutation that another method has performed. */
export type Changed = Omit<Change, 'account'>

/** The source for one caller. */
export interface SourceCalls {
  has (method: AdapterMethod | ExtraMethod): boolean
  /** Returns the ids that an item has in the lists of its sources. */
  idsOf: IdsOf
  /** Returns the current response of the source, not a cached one; `undefined` if it does not implement the method. */
  readAgain<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined>
  /** @throws SourceError if the source does not support or rejects the change */
  change<M extends MutationMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M>>
  /**
   * Calls one method that makes several changes.
   *
   * @param changed returns the equivalent mutations, for the invalidation of the cache
   */
  changeAtOnce<M extends ExtraMethod> (
    method: M, args: ExtraArguments<M>, changed: (answer: ExtraAnswer<M> | undefined) => readonly Changed[]
  ): Promise<ExtraAnswer<M>>
  /** Runs several changes of one call and invalidates the affected cache entries in one pass at its end. */
  together<T> (run: () => Promise<T>): Promise<T>
  /** Runs an edit of a playlist after the other edits of the playlist that this process has begun. */
  alone<T> (playlist: string, run: () => Promise<T>): Promise<T>
  /** Lets the running work finish, even if the client disconnects. */
  share (): void
  /** Logs an additional error besides the error that the caller gets. */
  warn (error: unknown, event: string): void
}
