import { extras } from '../../schemas/extras.ts'
import type { Track } from '../../schemas/index.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { NotFoundError } from '../contract/errors.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { isExternalId } from './combined-ids.ts'
import { reportMissing, type GatherOptions } from './gather.ts'

/** The number of tracks per library request, and of concurrent calls for single tracks without a library. */
const atATime = { items: 200, calls: 8 }

/**
 * Returns a placeholder for a track that cannot be shown. Its `extras` are set, so no library is called for more
 * details.
 */
const placeholder = (id: string, title: string): Track => ({
  id, title, artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 0, qualities: [], [extras]: {}
})

/** Current tracks of other sources, by id. For a failed source, the last known tracks are used. */
export class ExternalTracks {
  readonly #found = new Map<string, Track | undefined>()
  readonly #failed = new Map<string, NamespacedSource>()
  readonly #options: GatherOptions

  constructor (options: GatherOptions) {
    this.#options = options
  }

  /** Requests each source's tracks within its timeout. */
  async read (sources: readonly NamespacedSource[], ids: readonly string[]): Promise<void> {
    await Promise.all(sources.map(async source => {
      const own = ids.filter(id => source.own(id) !== undefined)
      if (own.length === 0) return
      const { timeout } = source
      try {
        let reading!: Promise<void>
        await withTimeout(({ signal }) => {
          reading = this.#readOf(source, own, signal)
          return reading
        }, { timeout, error: () => source.timeOut(reading) })
      } catch (error) {
        this.#failed.set(source.id, source)
        source.fail(error)
        reportMissing(this.#options, source, 'getTrackDetail', error)
      }
    }))
  }

  async #readOf (source: NamespacedSource, ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { library } = source.adapter
    if (library !== undefined) {
      for (let at = 0; at < ids.length; at += atATime.items) {
        const some = ids.slice(at, at + atATime.items)
        const items =
          await source.guard(() => library.items('tracks', some.map(id => source.own(id)!), { signal }))
        some.forEach((id, index) => {
          const item = items[index]
          this.#found.set(id, item && { ...source.renameItem('tracks', item), id })
        })
      }
      return
    }
    if (source.has('getTrackDetail')) {
      await forEachLimited(ids, atATime.calls, async id => {
        signal.throwIfAborted()
        this.#found.set(id, await source.ask('getTrackDetail', [source.own(id)]).catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error
        }))
      })
    }
  }

  /** The ids of sources that failed. */
  get missing (): string[] { return [...this.#failed.keys()] }

  /** Returns whether the source has reported that the track does not exist. */
  isGone (id: string): boolean { return this.#found.has(id) && this.#found.get(id) === undefined }

  /** Returns a track as a playlist shows it. A track that cannot be shown has the reason as its title. */
  shown (id: string, sources: readonly NamespacedSource[]): Track {
    const source = isExternalId(id) ? undefined : sources.find(source => source.own(id) !== undefined)
    if (source === undefined) return placeholder(id, 'Not available here')
    return this.#found.get(id) ??
      placeholder(id, this.isGone(id) ? `Gone from ${source.name}` : `${source.name} is not responding`)
  }
}
