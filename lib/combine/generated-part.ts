import { forEachLimited } from '../async/limit-concurrency.ts'
import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { AdapterMethod } from '../contract/operations.ts'
import type { LibraryCall, LibraryItems, LibraryKind, SourceLibrary } from '../contract/source-library.ts'
import { isStillRead, type GeneratedLibrary, type GeneratingCall } from '../library/internal.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { isExternalId } from './combined-ids.ts'
import { isOutage } from './source-states.ts'

/** The maximum number of items that one call requests by their ids, and of concurrent requests. */
const byId = { most: 500, concurrency: 8 }

/** The operations that return an item by its id, with their other arguments. */
const details = { tracks: ['getTrackDetail'], albums: ['getAlbumDetail', 1], artists: ['getArtistDetail', 0] } as const

/** Returns the result of a call; `undefined` if it fails with an error of a class. */
async function unless<T> (Class: new () => Error, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Class) return undefined
    throw error
  }
}

const silent = { warn () {} }

/** Returns the source as a library is generated of it, with its own ids. */
function callOf (source: NamespacedSource): GeneratingCall {
  const read = async (method: AdapterMethod, ...args: readonly unknown[]) => {
    const answer = await unless(UnsupportedFeatureError, () => source.askWhole(method, args))
    if (method !== 'getPlaylistDetail' || !source.keepsOthers || answer === undefined) return answer
    return { ...answer, tracks: answer.tracks.filter(({ id }: { id: string }) => !isExternalId(id)) }
  }
  return {
    has: method => source.has(method as AdapterMethod),
    read,
    find: (method, ...args) => unless(NotFoundError, () => read(method, ...args)),
    share () {},
    isStateful: source.isStateful,
    addsPublic: true,
    warn: (error, event) => source.log?.warn({ source: source.id, reason: (error as Error).message }, event),
    log: source.log ?? silent
  }
}

/** Returns the generated library of a source of a combination. Items that it lacks are requested by their ids. */
export function generatedPart (source: NamespacedSource, generated: GeneratedLibrary): SourceLibrary {
  const library = generated.of(callOf(source))
  const named = async <T>(run: () => Promise<T>, { signal }: LibraryCall): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      signal.throwIfAborted()
      if (isStillRead(error)) throw error
      source.fail(error)
      throw source.named(error)
    }
  }
  const complete = async <K extends LibraryKind>(
    kind: K, ids: readonly string[], { signal }: LibraryCall
  ): Promise<(LibraryItems[K] | undefined)[]> => {
    const found = [...await library.items(kind, ids)]
    const [method, ...more] = details[kind]
    if (!source.has(method)) return found
    const lacking = [...ids.keys()].filter(at => found[at] === undefined).slice(0, byId.most)
    await forEachLimited(lacking, byId.concurrency, async at => {
      signal.throwIfAborted()
      const { tracks, ...item } = Object(
        await unless(NotFoundError, () => source.askWhole(method, [ids[at]!, ...more])))
      if (item.id !== undefined) found[at] = item
    })
    return found
  }
  return {
    ids: (query, call) => named(() => library.ids(query).catch(error => {
      // Tracks that were not read before the outage.
      if (!isOutage(error) || isStillRead(error) || generated.latest === undefined) throw error
      source.fail(error)
      return generated.latest.ids(query)
    }), call),
    randomIds: (query, count, call) => named(() => library.random(query, count), call),
    items: (kind, ids, call) => named(() => complete(kind, ids, call), call),
    facets: (kind, call) => named(() => library.facets(kind), call),
    get revision () { return generated.revision },
    get changedAt () { return generated.changedAt }
  }
}
