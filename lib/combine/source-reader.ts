import { UnsupportedFeatureError, UpstreamError } from '../contract/errors.ts'
import type { LibraryKind } from '../contract/source-library.ts'
import { mostTracks, paced, type LibraryReader, type Text } from '../library/internal.ts'
import type { LibraryPart, RequestPart } from './library-request.ts'
import { isUsable, itemOf, recordOf } from './source-records.ts'

/** The number of items on a page. */
const pageSize = 500

const kinds = ['artists', 'albums', 'tracks'] as const

/**
 * Returns whether a value is the id of a missing source. Ids of nested combinations contain colons. They are sent in a
 * header.
 */
const isPath = (id: unknown): id is string => typeof id === 'string' && /^[\w:-]{1,200}$/.test(id)
const mostMissing = 100

/** Reads the library of another source sequentially. */
export class SourceReader implements LibraryReader {
  readonly #request: RequestPart
  readonly #pause = paced()

  constructor (request: RequestPart) {
    this.#request = request
  }

  item (_kind: LibraryKind, record: Text) { return itemOf<typeof _kind>(record) }

  /** Returns a constant position, since the tracks of an album are received in its order. */
  place (): undefined {}

  /** Returns the revision and the missing sources, `undefined` while the source itself reads all its libraries. */
  async version (): Promise<string | undefined> {
    const { revision, missing } = await this.#ask({ limit: 0 })
    if (typeof revision !== 'string') return undefined
    const ids = Array.isArray(missing) ? missing.filter(isPath).slice(0, mostMissing) : []
    return JSON.stringify([revision, ...ids])
  }

  missing (version: string): readonly string[] { return JSON.parse(version).slice(1) }

  async * read () {
    for (const kind of kinds) {
      for (let offset = 0; ; offset += pageSize) {
        const { items, hasMore } = await this.#ask({ kind, offset, limit: pageSize })
        if (!Array.isArray(items)) throw new UpstreamError('The library of the source cannot be read')
        yield { kind, records: items.filter(item => isUsable(kind, item)).map(recordOf) }
        if (hasMore !== true) break
        // A source may return pages endlessly.
        if (offset >= mostTracks.stored) throw new UnsupportedFeatureError(`It has more than ${offset} ${kind}`)
      }
    }
  }

  /** @throws UnsupportedFeatureError for a source without a library */
  async #ask (parameters: Parameters<RequestPart>[0]): Promise<LibraryPart> {
    await this.#pause()
    const part = await this.#request(parameters)
    if (part.revision === undefined && part.missing === undefined) {
      throw new UnsupportedFeatureError('It does not have a library')
    }
    return part
  }
}
