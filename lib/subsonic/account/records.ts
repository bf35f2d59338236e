import type { SubsonicStore } from '../memory-store.ts'

export interface Queue {
  ids: string[]
  current?: number | undefined
  position: number
  changed: string
  changedBy: string
}
export interface Bookmark { position: number, comment: string, username: string, created: string, changed: string }
export interface Play { id: string, at: number }
export interface Playing { id: string, username: string, client: string, at: number }

/** Milliseconds that a store may take for what an answer can do without. */
const patience = 1000

/** What is kept of one account in the store. A store that fails, or takes too long, has nothing to read. */
export class Records {
  readonly #store: SubsonicStore
  readonly #key: string
  #changes: Promise<unknown> = Promise.resolve()

  constructor (store: SubsonicStore, key: string) {
    this.#store = store
    this.#key = encodeURIComponent(key)
  }

  /** @param kind for example `bookmarks`, or `queue/` and the user name */
  read<T> (kind: string, none: T): Promise<T> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, patience, none)
      this.#load(kind, none).catch(() => none).then(value => {
        clearTimeout(timer)
        resolve(value)
      })
    })
  }

  /**
   * Changes a record; one change after the other, so that none is lost.
   *
   * @param change gives the new value; `undefined` forgets the record
   */
  async change<T> (kind: string, none: T, change: (value: T) => T | undefined): Promise<void> {
    const done = this.#changes.then(async () => {
      const value = change(await this.#load(kind, none))
      await this.#store.set(`${this.#key}/${kind}`, value === undefined ? undefined : JSON.stringify(value))
    })
    this.#changes = done.catch(() => {})
    return done
  }

  async #load<T> (kind: string, none: T): Promise<T> {
    const text = await this.#store.get(`${this.#key}/${kind}`)
    // Redis and others say null for what they do not have.
    return text == null ? none : JSON.parse(text) as T
  }
}
