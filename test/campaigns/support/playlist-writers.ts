import { away, type BuiltExample } from './built-example.ts'

/** Writers of playlists that remember what was answered with success. */
export class PlaylistWriters {
  readonly #acknowledged = new Set<string>()
  readonly #asked = new Set<string>()
  #stopped = false

  /**
   * Makes playlists, a writer for each of these, until it is stopped or the process is gone. The database may be away,
   * but nothing else fails.
   */
  writeOn (examples: readonly BuiltExample[], name: string): Promise<unknown> {
    this.#stopped = false
    const writing = Promise.all(examples.map((example, writer) => this.#write(example, `${name} ${writer}`)))
    // Whoever waits for it later is told then.
    writing.catch(() => {})
    return writing
  }

  async #write (example: BuiltExample, writer: string): Promise<void> {
    for (let turn = 0; !this.#stopped; turn++) {
      const name = `${writer} ${turn}`
      this.#asked.add(name)
      const answer = await example.call('/v1/playlist/create', { name }).catch(() => undefined)
      if (answer === undefined) return
      const { code, message } = answer
      if (code === 200) this.#acknowledged.add(name)
      else if (code !== 503 || message !== away) throw new Error(`a write is answered ${code} ${message}`)
    }
  }

  /** Names of what was answered with success since it was checked last. */
  get acknowledged (): readonly string[] { return [...this.#acknowledged] }

  stop (): void {
    this.#stopped = true
  }

  /**
   * Looks whether all is there that was answered with success, once, and nothing that nobody asked for. Deletes it, so
   * that rounds take the same time.
   *
   * @param clear deletes all in another way than one by one
   * @returns how many playlists were there
   * @throws Error that says what is wrong
   */
  async check (example: BuiltExample, clear?: () => Promise<unknown>): Promise<number> {
    const kept: { id: string, name: string }[] = await example.data('/v1/user/playlist/list')
    const names = new Set(kept.map(({ name }) => name))
    if (names.size < kept.length) throw new Error('a playlist is there twice')
    for (const name of this.#acknowledged) {
      if (!names.has(name)) throw new Error(`${name} was answered with 200 and is lost`)
    }
    for (const name of names) if (!this.#asked.has(name)) throw new Error(`nobody asked for ${name}`)
    if (clear !== undefined) await clear()
    else for (const { id } of kept) await example.data('/v1/playlist/delete', { id })
    this.#acknowledged.clear()
    this.#asked.clear()
    return kept.length
  }
}
