import { applyOperation, type AccountQueue, type QueueOperation } from './account-queue.ts'
import { applyReport, currentOf, type NowReport, type QueueNow } from './queue-now.ts'

/** The stored state of an account. */
export interface QueueState { readonly queue: AccountQueue, readonly now: QueueNow }

/** The copy of a device. */
export type KnownQueue = Pick<AccountQueue, 'list' | 'revision'>

/** A request of a device. */
export interface QueueRequest {
  readonly device: string
  readonly known: KnownQueue
  readonly operations: readonly QueueOperation[]
  readonly report?: NowReport | undefined
}

/** The response to a device. */
export interface QueueAnswer {
  /** The queue, unless it is the one that the device computes itself. */
  readonly queue?: AccountQueue | undefined
  /** The id of the current entry. */
  readonly current?: string | undefined
  readonly now: QueueNow
}

/** Returns the queue after operations. Those on another list have no effect. */
export const applyAll = ({ queue, now }: QueueState, operations: readonly QueueOperation[]): AccountQueue =>
  operations.reduce((queue, operation) => applyOperation(queue, operation, currentOf(queue, now)) ?? queue, queue)

/** Returns the response to a device that knew the queue before. */
export function answerTo (known: KnownQueue, before: KnownQueue, { queue, now }: QueueState): QueueAnswer {
  const isKnown = known.list === before.list && known.revision === before.revision
  return { ...!isKnown && { queue }, current: currentOf(queue, now), now }
}

/** Applies a request. The report is about the queue after the operations. */
export function exchange (
  state: QueueState, { device, known, operations, report }: QueueRequest, time: number
): { readonly state: QueueState, readonly answer: QueueAnswer } {
  const queue = applyAll(state, operations)
  const now = (report && applyReport(state.now, report, device, time)) ?? state.now
  const after = { queue, now }
  return { state: after, answer: answerTo(known, state.queue, after) }
}
