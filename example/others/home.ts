import type { SourceAdapter } from 'fastify-source-origin'
import { isOtherSource } from '../text/other-ids.ts'

/** The id of the folder in a combination with other sources. */
export const homeId = 'home'
const homePrefix = `${homeId}:`

/** Returns an id of the folder without a prefix, which apps may still use. */
export const withoutHome = (id: string): string => id.startsWith(homePrefix) ? id.slice(homePrefix.length) : id

/** Returns whether an id belongs to another source, or to an item of several sources. */
export const isOfOther = (id: string): boolean => id.startsWith('+') || isOtherSource(id.split(':', 1)[0]!)

/** Adapters of the folder by the adapter of their combination. */
const homes = new WeakMap<SourceAdapter, SourceAdapter>()

export const noteHome = (combined: SourceAdapter, home: SourceAdapter): void => { homes.set(combined, home) }

/** Returns the adapter of the folder in a combination. */
export const homeOf = (adapter: SourceAdapter): SourceAdapter => homes.get(adapter) ?? adapter
