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

/** A mutation that another method has done. */
export type Changed = Omit<Change, 'account'>

/** The source as one caller asks it. */
export interface Asking {
  has (method: AdapterMethod | ExtraMethod): boolean
  /** What the source answers now; `undefined` where it does not implement the method. */
  readAgain<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined>
  /** @throws SourceError where the source cannot, or refuses */
  change<M extends MutationMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M>>
  /**
   * Changes several things by one method.
   *
   * @param changed the mutations that this stands for, so that what they changed is forgotten
   */
  changeAtOnce<M extends ExtraMethod> (
    method: M, args: ExtraArguments<M>, changed: (answer: ExtraAnswer<M> | undefined) => readonly Changed[]
  ): Promise<ExtraAnswer<M>>
  /** Runs changes of one call: what they change is forgotten at its end, in one pass. */
  together<T> (run: () => Promise<T>): Promise<T>
  /** What is begun comes to its end, though the client leaves. */
  share (): void
  /** Logs what went wrong beside the error that the caller gets. */
  warn (error: unknown, message: string): void
}
