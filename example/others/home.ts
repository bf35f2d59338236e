import type { SourceAdapter } from 'fastify-source-origin'

/** The id of the folder where there are other sources. */
export const homeId = 'home'
export const homePrefix = `${homeId}:`

/** An id of the folder, as the folder knows it. */
export const withoutHome = (id: string): string => id.startsWith(homePrefix) ? id.slice(homePrefix.length) : id

/** Adapters of the folder, by those of the combinations that they are part of. */
const homes = new WeakMap<SourceAdapter, SourceAdapter>()

export const noteHome = (combined: SourceAdapter, home: SourceAdapter): void => { homes.set(combined, home) }

/** The adapter of the folder in one of all sources. */
export const homeOf = (adapter: SourceAdapter): SourceAdapter => homes.get(adapter) ?? adapter
