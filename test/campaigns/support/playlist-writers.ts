import { away, type BuiltExample } from './built-example.ts'

/** Writers of playlists that remember what was answered with success. */
export class PlaylistWriters {
  readonly #acknowledged = new Set<string>()
  readonly #asked = new Set<string>()
  #stopped = false

  /** Makes playlists until it is stopped, or the process is gone. Away may be the database, but nothing else fails. */
  async writeOn (example: BuiltExample, writer: string): Promise<void> {
    this.#stopped = false
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

  stop (): void {
    this.#stopped = true
  }

  /**
   * Looks whether all is there that was answered with success, once, and nothing that nobody asked for. Deletes it, so
   * that rounds take the same time.
   *
   * @returns how many playlists were there
   * @throws Error that says what is wrong
   */
  async check (example: BuiltExample): Promise<number> {
    const kept: { id: string, name: string }[] = await example.data('/v1/user/playlist/list')
    const names = new Set(kept.map(({ name }) => name))
    if (names.size < kept.length) throw new Error('a playlist is there twice')
    for (const name of this.#acknowledged) {
      if (!names.has(name)) throw new Error(`${name} was answered with 200 and is lost`)
    }
    for (const name of names) if (!this.#asked.has(name)) throw new Error(`nobody asked for ${name}`)
    for (const { id } of kept) await example.data('/v1/playlist/delete', { id })
    this.#acknowledged.clear()
    this.#asked.clear()
    return kept.length
  }
}
