import {
  editBetween, isEmptyEdit, noQueue, type AccountQueue, type QueueContent, type QueueOperation
} from './account-queue.ts'
import { applyAll, type KnownQueue, type QueueAnswer } from './exchange.ts'
import { currentOf, nothingNow, type QueueNow } from './queue-now.ts'

/** The stored copy of a device. */
interface StoredQueue {
  readonly base: AccountQueue
  readonly now: QueueNow
  readonly pending: readonly QueueOperation[]
}

/** The copy of a device: the accepted queue, and operations that the server has not confirmed. */
export class DeviceQueue {
  #base = noQueue
  #now = nothingNow
  #pending: readonly QueueOperation[] = []
  readonly #newId: () => string

  constructor (newId: () => string) {
    this.#newId = newId
  }

  /** Returns the copy that a device has stored; an empty one for other values. */
  static restore (newId: () => string, stored: unknown): DeviceQueue {
    const queue = new DeviceQueue(newId)
    const { base, now, pending } = Object(stored) as Partial<StoredQueue>
    if (Array.isArray(base?.entries) && Array.isArray(pending) && typeof now?.device === 'string') {
      queue.#base = base
      queue.#now = now
      queue.#pending = pending
    }
    return queue
  }

  /** The value that `restore` reads. */
  get stored (): StoredQueue { return { base: this.#base, now: this.#now, pending: this.#pending } }

  /** The list and the revision that the device has seen. */
  get known (): KnownQueue { return { list: this.#base.list, revision: this.#base.revision } }
  get now (): QueueNow { return this.#now }
  /** The operations to send. */
  get pending (): readonly QueueOperation[] { return this.#pending }

  /** The queue with the unconfirmed operations. Operations on a replaced list have no effect. */
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
    // Earlier changes have no effect any more.
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
    const filled = left.flatMap(({ id, fill }) => fill === undefined ? [] : [id])
    const lists = new Set<string | undefined>([this.#base.list, ...filled])
    this.#pending = left.filter(({ list, fill }) => fill !== undefined || lists.has(list))
    return lists.has(before.list) || before.entries.length === 0 ? undefined : before
  }
}
