import {
  editBetween, isEmptyEdit, noQueue, type AccountQueue, type QueueContent, type QueueOperation
} from './account-queue.ts'
import { applyAll, type KnownQueue, type QueueAnswer } from './exchange.ts'
import { currentOf, nothingNow, type QueueNow } from './queue-now.ts'

/** The copy of a device: the accepted queue, and operations that the server has not confirmed. */
export class DeviceQueue {
  #base = noQueue
  #now = nothingNow
  #pending: readonly QueueOperation[] = []
  readonly #newId: () => string

  constructor (newId: () => string) {
    this.#newId = newId
  }

  /** The list and the revision that the device has seen. */
  get known (): KnownQueue { return { list: this.#base.list, revision: this.#base.revision } }
  get now (): QueueNow { return this.#now }
  /** The operations to send. */
  get pending (): readonly QueueOperation[] { return this.#pending }

  /** The queue with the unconfirmed operations. Those on a list that is gone have no effect. */
  get queue (): AccountQueue {
    const queue = applyAll({ queue: this.#base, now: this.#now }, this.#pending)
    return { ...queue, current: currentOf(queue, this.#now) }
  }

  /** Applies a change of the device. */
  change (content: QueueContent): void {
    const { list, ...queue } = this.queue
    const edit = editBetween(queue, content)
    if (!isEmptyEdit(edit)) this.#add({ id: this.#newId(), list, edit })
  }

  /** Replaces the queue by another list. */
  fill (content: QueueContent): void {
    // What was changed before has no effect any more.
    this.#pending = []
    this.#add({ id: this.#newId(), fill: content })
  }

  #add (operation: QueueOperation): void {
    this.#pending = [...this.#pending, operation]
  }

  /**
   * Reads the response to a request.
   *
   * @param sent the operations of the request
   * @returns the queue that the device had, if another list replaces it
   */
  answered (sent: readonly QueueOperation[], { queue, current, now }: QueueAnswer): AccountQueue | undefined {
    const before = this.queue
    const base = queue ?? applyAll({ queue: this.#base, now: this.#now }, sent)
    this.#base = { ...base, current }
    this.#now = now
    const isSent = new Set(sent.map(({ id }) => id))
    const left = this.#pending.filter(({ id }) => !isSent.has(id))
    const lists = new Set<string | undefined>([this.#base.list, ...left.flatMap(({ id, fill }) => fill === undefined ? [] : [id])])
    this.#pending = left.filter(({ list, fill }) => fill !== undefined || lists.has(list))
    return lists.has(before.list) || before.entries.length === 0 ? undefined : before
  }
}
