import { withTimeout } from '../async/with-timeout.ts'
import { SourceError } from '../contract/errors.ts'
import { noQueue, type AccountQueue, type QueueContent } from './account-queue.ts'
import { answerTo, applyAll, type QueueAnswer, type QueueRequest, type QueueState } from './exchange.ts'
import { applyReport, currentOf, nothingNow, sounds, type QueueNow } from './queue-now.ts'
import type { SubsonicStore } from './text-store.ts'

/** A queue as apps save it. Positions are milliseconds. */
export interface SavedQueue {
  /** The ids of the tracks. */
  readonly tracks: readonly string[]
  /** The index of the current track. */
  readonly current: number
  readonly position: number
}

/** The queue that an app saved while a page played. */
export interface QueueOffer {
  readonly content: QueueContent
  readonly position: number
  /** The name of the app. */
  readonly by: string
  /** Unix milliseconds. */
  readonly at: number
}

/** The devices of an account: names and Unix milliseconds of the last requests, by id. */
type Devices = Readonly<Record<string, { readonly name: string, readonly seen: number }>>

type Text = string | null | undefined

const day = 86_400_000
/** The timeouts of reads and changes in milliseconds. */
const timeouts = { read: 1000, change: 10_000 }
/** The time after which an unused device is forgotten, and the maximum number of devices. */
const deviceTtl = 30 * day
const mostDevices = 100

/** The queue that Subsonic apps saved before it was the queue of the account, by user name; `''` for an account. */
type FormerQueues = readonly (readonly [name: string, queue: {
  readonly ids: readonly string[],
  readonly current?: number,
  readonly position: number,
  readonly changed: string,
  readonly changedBy: string
}])[]

/** The queues of accounts in a store of texts. */
export class AccountQueues {
  readonly #store: SubsonicStore

  constructor (store: SubsonicStore) {
    this.#store = store
  }

  /**
   * Returns the queue of an account, its current entry, its device and an offer.
   *
   * @throws SourceError 503 if the store fails
   */
  async read (account: string) {
    const [queue, now, devices, offer] = await Promise.all([
      this.#queueOf(account), this.#read<QueueNow>(account, 'now'), this.#read<Devices>(account, 'devices'),
      this.#read<QueueOffer>(account, 'offer')
    ])
    const state = { queue: queue.queue, now: now ?? queue.now }
    return { ...state, current: currentOf(state.queue, state.now), device: nameOf(devices, state.now), offer }
  }

  /**
   * Applies a request of a device. It may be repeated: each operation has one effect.
   *
   * @param name the name of the device. Default: its name so far, else `fallback`
   * @throws SourceError 503 if the store fails
   */
  async exchange (
    account: string, request: QueueRequest, { name, fallback }: { name: string | undefined, fallback: string }
  ): Promise<QueueAnswer & { readonly device: string | undefined, readonly offer: QueueOffer | undefined }> {
    const { device, known, operations, report } = request
    const before = await this.read(account)
    let after: QueueState = before
    let seen: AccountQueue = before.queue
    if (operations.length > 0) {
      await this.#change<AccountQueue>(account, 'queue', stored => {
        seen = stored ?? before.queue
        const queue = applyAll({ queue: seen, now: before.now }, operations)
        after = { queue, now: before.now }
        return queue
      })
    }
    if (report !== undefined) {
      await this.#change<QueueNow>(account, 'now', stored => {
        const last = stored ?? before.now
        const now = applyReport(last, report, device, Date.now()) ?? last
        after = { ...after, now }
        return now
      })
    }
    let { offer } = before
    // Another list begins: the device has decided.
    if (offer !== undefined && operations.some(({ fill }) => fill !== undefined)) {
      await this.#change(account, 'offer', () => undefined)
      offer = undefined
    }
    const devices = await this.#noteDevice(account, device, name, fallback)
    return { ...answerTo(known, seen, after), device: nameOf(devices, after.now), offer }
  }

  /**
   * Saves the queue of an app. While a page plays, it is an offer.
   *
   * @throws SourceError 503 if the store fails
   */
  async save (account: string, app: string, { tracks, current, position }: SavedQueue, newId: () => string) {
    const entries = tracks.map(track => [newId(), track] as const)
    const content = { entries, current: entries[current]?.[0] }
    const { now, queue: { list, revision } } = await this.read(account)
    const device = `app:${app}`
    if (sounds(now, Date.now()) && now.device !== device) {
      await this.#change<QueueOffer>(account, 'offer', () => ({ content, position, by: app, at: Date.now() }))
      return
    }
    await this.exchange(account, {
      device,
      known: { list, revision },
      operations: [{ id: newId(), fill: content }],
      report: { seen: now.turn, entry: content.current, position, isPlaying: false }
    }, { name: app, fallback: app })
  }

  async #queueOf (account: string): Promise<QueueState> {
    const queue = await this.#read<AccountQueue>(account, 'queue')
    if (queue !== undefined) return { queue, now: nothingNow }
    const former = await this.#read<FormerQueues>(account, 'queues')
    const saved = former?.find(([name]) => name === '')?.[1]
    if (saved === undefined) return { queue: noQueue, now: nothingNow }
    const { ids, current = 0, position, changed, changedBy } = saved
    const entries = ids.map((id, at) => [String(at), id] as const)
    const entry = entries[current]?.[0]
    return {
      queue: { ...noQueue, revision: 1, list: 'saved', entries, current: entry },
      now: { turn: 1, since: 0, entry, position, isPlaying: false, device: `app:${changedBy}`, at: Date.parse(changed) }
    }
  }

  async #noteDevice (
    account: string, device: string, name: string | undefined, fallback: string
  ): Promise<Devices | undefined> {
    const now = Date.now()
    const isNoted = (devices: Devices | undefined) => {
      const known = devices?.[device]
      return known !== undefined && now - known.seen < day && (name === undefined || known.name === name)
    }
    let devices = await this.#read<Devices>(account, 'devices')
    if (isNoted(devices)) return devices
    await this.#change<Devices>(account, 'devices', (stored = {}) => {
      const noted = { name: name ?? stored[device]?.name ?? fallback, seen: now }
      const others = Object.entries(stored).filter(([id, { seen }]) => id !== device && now - seen < deviceTtl)
      devices = Object.fromEntries([...others, [device, noted] as const].slice(-mostDevices))
      return devices
    })
    return devices
  }

  async #read<T> (account: string, kind: string): Promise<T | undefined> {
    return parse<T>(await orUnavailable(() => this.#store.get(keyOf(account, kind)), timeouts.read))
  }

  async #change<T> (account: string, kind: string, change: (value: T | undefined) => T | undefined): Promise<void> {
    await orUnavailable(() => this.#store.change(keyOf(account, kind), text => {
      const value = change(parse<T>(text))
      return value === undefined ? undefined : JSON.stringify(value)
    }), timeouts.change)
  }
}

const keyOf = (account: string, kind: string) => `${encodeURIComponent(account)}/${kind}`

/** Redis and other stores return null for missing keys. */
const parse = <T>(text: Text): T | undefined => text == null ? undefined : JSON.parse(text) as T

/** The store of texts may be a database that is away for a minute; clients try again. */
async function orUnavailable<T> (call: () => Promise<T>, timeout: number): Promise<T> {
  try {
    return await withTimeout(call, { timeout })
  } catch (cause) {
    // A removed account is an error of the caller, not of the store.
    if (cause instanceof SourceError && cause.status < 500) throw cause
    throw new SourceError(503, 'The queue is not available now', { cause })
  }
}

/** An app that saved a queue is a device as well. */
const nameOf = (devices: Devices | undefined, { device }: QueueNow): string | undefined =>
  devices?.[device]?.name ?? (device.startsWith('app:') ? device.slice(4) : undefined)
