import { elapsed } from './elapsed.ts'
import { withTimeout } from './with-timeout.ts'

const day = 86_400_000

/** A value that is built on demand, once at a time, and cached. Times are milliseconds. */
export class CachedValue<T> {
  readonly #ttl: number
  readonly #maxWait: number
  readonly #error: (() => Error) | undefined
  readonly #staleFor: number
  #kept: { value: T, at: number, isOutdated: boolean } | undefined
  #building: { value: Promise<T>, isOutdated: boolean } | undefined

  /**
   * @param error creates the error of a value that is not built within the timeout. Default: a `TimeoutError`
   * @param staleFor the time for which an old value is returned if a new one cannot be built. Default: a day
   */
  constructor (ttl: number, maxWait: number, error?: () => Error, staleFor = day) {
    this.#staleFor = staleFor
    this.#ttl = ttl
    this.#maxWait = maxWait
    this.#error = error
  }

  get isBuilding (): boolean { return this.#building !== undefined }

  get isFresh (): boolean { return this.#fresh !== undefined }

  /** The last built value, however old. */
  get latest (): T | undefined { return this.#kept?.value }

  /**
   * Returns the value, or an older one if a new one cannot be built.
   *
   * @throws the error of the timeout; the building continues
   */
  async get (build: () => Promise<T>): Promise<T> {
    const fresh = this.#fresh
    if (fresh !== undefined) return fresh
    try {
      return await withTimeout(() => this.#complete(build), { timeout: this.#maxWait, error: this.#error })
    } catch (error) {
      if (this.#kept !== undefined && elapsed() - this.#kept.at < this.#staleFor) return this.#kept.value
      throw error
    }
  }

  /** Returns the value, without a timeout. */
  async current (build: () => Promise<T>): Promise<T> {
    return this.#fresh ?? this.#complete(build)
  }

  get #fresh (): T | undefined {
    if (this.#kept === undefined || this.#kept.isOutdated) return undefined
    return elapsed() - this.#kept.at < this.#ttl ? this.#kept.value : undefined
  }

  /** Builds the value, or joins a running build. A build that began before a change is not used. */
  async #complete (build: () => Promise<T>): Promise<T> {
    while (this.#building?.isOutdated) await Promise.allSettled([this.#building.value])
    if (this.#building !== undefined) return this.#building.value
    const building = this.#building = { value: build(), isOutdated: false }
    try {
      const value = await building.value
      this.#kept = { value, at: elapsed(), isOutdated: building.isOutdated }
      return value
    } finally {
      this.#building = undefined
    }
  }

  /** Marks the current value and a running build as outdated, so that the next call builds a new value. */
  outdate (): void {
    if (this.#building !== undefined) this.#building.isOutdated = true
    if (this.#kept !== undefined) this.#kept.isOutdated = true
  }

  forget (): void {
    this.outdate()
    this.#kept = undefined
  }
}
