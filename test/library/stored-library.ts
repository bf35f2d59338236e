import { setImmediate as turn } from 'node:timers/promises'
import type { LibraryItems, LibraryKind } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import { stored, type OrderedLibrary } from '../../lib/contract/ordered-library.ts'
import { MirroredLibrary } from '../../lib/library/mirrored-library.ts'

/** The lists of a library. */
export type Lists = { readonly [K in LibraryKind]: readonly LibraryItems[K][] }

/** Reads lists as the library of another server, and returns it as a request gets it. */
export async function storedLibraryOf (lists: Lists): Promise<OrderedLibrary> {
  const origin = createLibrary(lists)
  const mirror = new MirroredLibrary({
    version: async () => '1',
    async * read () {
      for (const kind of ['artists', 'albums', 'tracks'] as const) {
        yield { kind, records: lists[kind].map((_item, at) => ({ at })) }
      }
    },
    item: (kind, { at }: { at?: number }) => lists[kind][at!]!,
    place: () => undefined
  }, { name: 'server', title: 'Server', store: undefined, log: undefined })
  const library = () => mirror.for({
    items: (kind, ids, call) => origin.items(kind, ids, call), favourites: () => []
  })!
  while (library()[stored] !== true) await turn()
  return library()
}
