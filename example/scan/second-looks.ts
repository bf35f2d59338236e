/** Milliseconds. A path is looked at after one to two times as long. */
const after = 2500

/** Paths that are looked at some seconds after they were added, unless they are deleted before. */
export class SecondLooks {
  readonly #look: (paths: ReadonlySet<string>) => unknown
  #young = new Set<string>()
  #old = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  /** @param look must not throw */
  constructor (look: (paths: ReadonlySet<string>) => unknown) {
    this.#look = look
  }

  add (path: string): void {
    this.#young.add(path)
    this.#wait()
  }

  delete (path: string): void {
    this.#young.delete(path)
    this.#old.delete(path)
  }

  clear (): void {
    this.#young.clear()
    this.#old.clear()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait (): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const due = this.#old
      this.#old = this.#young
      this.#young = new Set()
      if (this.#old.size > 0) this.#wait()
      if (due.size > 0) this.#look(due)
    }, after).unref()
  }
}
