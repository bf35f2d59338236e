import { discard } from '../async/unawaited.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { prepare, stored, withKept, type LibraryKeeper, type OrderedLibrary } from '../contract/ordered-library.ts'
import { GeneratedLibrary } from '../library/internal.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { generatedPart } from './generated-part.ts'
import { namedLibrary } from './named-library.ts'

/** A source with its library. */
export interface ListedSource {
  readonly source: NamespacedSource
  readonly library: OrderedLibrary
  /** Whether the library was read completely. */
  readonly isRead: boolean
  /** Waits a moment until the library is up to date. */
  readonly prepare?: (() => Promise<unknown> | undefined) | undefined
}

/**
 * Returns a source with its library, or with a generated library for one request.
 *
 * @param own the library of the source. Default: the library of its adapter
 */
export function listedSource (
  source: NamespacedSource, own = source.adapter.library as OrderedLibrary | undefined
): ListedSource {
  return own === undefined
    ? { source, library: generatedPart(source, new GeneratedLibrary()), isRead: true }
    : {
        source,
        library: namedLibrary(source, own),
        get isRead () { return own[stored] !== false },
        prepare: () => own[prepare]?.()
      }
}

/** The waits for reads of generated libraries. */
const waits = new WeakMap<GeneratedLibrary, Promise<unknown>>()

/** Returns a source with its library, or with the generated library from a keeper. */
export function keptSource (keeper: LibraryKeeper, source: NamespacedSource): ListedSource {
  const { id, isShared, context: { account = null } } = source
  const name = JSON.stringify([id, account, isShared])
  const own = source.adapter.library as OrderedLibrary | undefined
  if (own !== undefined) {
    const below: LibraryKeeper = { get: (inner, make) => keeper.get(name + inner, make) }
    return listedSource(source, own[withKept]?.(below) ?? own)
  }
  const generated = keeper.get(name, () => new GeneratedLibrary())
  const library = generatedPart(source, generated)
  return {
    source,
    library,
    get isRead () { return generated.latest !== undefined },
    prepare () {
      if (!generated.isBuilding) {
        const read = async ({ signal }: AbortController) => library.facets('albums', { signal })
        waits.set(generated, withTimeout(read, { timeout: source.timeout }).catch(discard))
      }
      return waits.get(generated)
    }
  }
}
