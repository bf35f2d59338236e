import { capabilities, type OfferedSource, type SourceClient, type Status } from 'fastify-source-origin/client'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The time in milliseconds that the start, and the first request of a login, wait for an unknown source. */
const waitsFor = 3000

/** Milliseconds between two requests for the status of a source, and between two attempts for the first status. */
const pauses = { known: 60_000, unknown: 5000 }

/** The assumed status of an unknown source, so that each method is tried. */
const everything: Status = {
  type: 'wow',
  version: '',
  stateless: true,
  capabilities: capabilities.map(({ name }) => name),
  qualityMap: [],
  playlistSortOptions: []
}

/** The last status of a friend's source, stored in the data folder. A restart does not need the source. */
export class OfferedFile {
  readonly #file: string
  readonly #url: string
  #text = ''

  constructor (dataDir: string, id: string, url: string) {
    this.#file = join(dataDir, `${id}.json`)
    this.#url = url
  }

  /** Reads the stored status; `undefined` if the file is missing or belongs to another address. */
  async read (): Promise<Status | undefined> {
    try {
      this.#text = await readFile(this.#file, 'utf8')
      const { url, status } = JSON.parse(this.#text)
      return url === this.#url ? status : undefined
    } catch {
      return undefined
    }
  }

  async write (status: Status): Promise<void> {
    const text = JSON.stringify({ url: this.#url, status })
    if (text === this.#text) return
    await writeFile(`${this.#file}.new`, text, { mode: 0o600 })
    await rename(`${this.#file}.new`, this.#file)
    this.#text = text
  }
}

export interface OfferedOptions {
  /** The status that was stored before the start. */
  readonly status: Status | undefined
  /** Called with each new status. */
  readonly keep?: ((status: Status) => Promise<void>) | undefined
  /** Called with each failure. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Returns a function that returns the source for a token, with its last status. The status is requested once a minute.
 * Calls wait for it only if no earlier status is stored.
 */
export function offeredBy (
  client: SourceClient, { status, keep, onError }: OfferedOptions
): (path: readonly string[]) => Promise<OfferedSource> {
  let known = status
  let looked = -Infinity
  let first: Promise<void> | undefined
  const look = async () => {
    known = await client.status()
    await keep?.(known)
  }
  return async path => {
    if (performance.now() - looked > (known ? pauses.known : pauses.unknown)) {
      looked = performance.now()
      const looking = look().catch(error => onError?.(error))
      first ??= known ? Promise.resolve() : Promise.race([looking, sleep(waitsFor, undefined, { ref: false })])
    }
    await first
    return client.offered({ status: known ?? everything, path })
  }
}
