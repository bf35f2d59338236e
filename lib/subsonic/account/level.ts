import { SubsonicError } from '../subsonic-error.ts'
import { unlessLate } from '../unless-late.ts'

const day = 86_400_000

/** A value that is built on demand, once at a time, and kept. */
export class Level<T> {
  /** Milliseconds. */
  readonly #ttl: number
  readonly #patience: number
  #kept: { value: T, at: number } | undefined
  #building: Promise<T> | undefined
  #isOutdated = false

  constructor (ttl: number, patience: number) {
    this.#ttl = ttl
    this.#patience = patience
  }

  get isBuilding (): boolean { return this.#building !== undefined }

  /** What was built last, however old. */
  get latest (): T | undefined { return this.#kept?.value }

  /**
   * The value; an older one, for a day, when a new one cannot be had.
   *
   * @throws SubsonicError 0 when it is not built in time; the building goes on
   */
  async get (build: () => Promise<T>): Promise<T> {
    const fresh = this.#fresh
    if (fresh !== undefined) return fresh
    try {
      const late = () => new SubsonicError(0, 'The library is still being read, try again')
      return await unlessLate(this.#patience, this.#complete(build), late)
    } catch (error) {
      if (this.#kept !== undefined && Date.now() - this.#kept.at < day) return this.#kept.value
      throw error
    }
  }

  /** The value, however long it takes. */
  async current (build: () => Promise<T>): Promise<T> {
    return this.#fresh ?? this.#complete(build)
  }

  get #fresh (): T | undefined {
    return this.#kept !== undefined && Date.now() - this.#kept.at < this.#ttl ? this.#kept.value : undefined
  }

  /** Builds it, or waits for the building that is going on. */
  async #complete (build: () => Promise<T>): Promise<T> {
    if (this.#building !== undefined) return this.#building
    this.#isOutdated = false
    this.#building = build()
    try {
      const value = await this.#building
      this.#kept = { value, at: this.#isOutdated ? Date.now() - this.#ttl : Date.now() }
      return value
    } finally {
      this.#building = undefined
    }
  }

  /** The next one who asks gets a new value: what is there, or is being built, is older than a change. */
  outdate (): void {
    this.#isOutdated = true
    if (this.#kept !== undefined) this.#kept.at = Math.min(this.#kept.at, Date.now() - this.#ttl)
  }

  /** Replaces the value by one that was derived from it. */
  replace (value: T): void {
    if (this.#kept !== undefined) this.#kept = { value, at: this.#kept.at }
  }

  forget (): void {
    this.#isOutdated = true
    this.#kept = undefined
  }
}
