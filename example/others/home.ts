import type { SourceAdapter } from 'fastify-source-origin'
import { isOtherSource } from '../text/other-ids.ts'

/** The id of the folder where there are other sources. */
export const homeId = 'home'
const homePrefix = `${homeId}:`

/** An id of the folder, as the folder knows it: apps may still have one with a prefix. */
export const withoutHome = (id: string): string => id.startsWith(homePrefix) ? id.slice(homePrefix.length) : id

/** Whether an id is one of another source, or of an item that several sources have. */
export const isOfOther = (id: string): boolean => id.startsWith('+') || isOtherSource(id.split(':', 1)[0]!)

/** Adapters of the folder, by those of the combinations that they are part of. */
const homes = new WeakMap<SourceAdapter, SourceAdapter>()

export const noteHome = (combined: SourceAdapter, home: SourceAdapter): void => { homes.set(combined, home) }

/** The adapter of the folder in one of all sources. */
export const homeOf = (adapter: SourceAdapter): SourceAdapter => homes.get(adapter) ?? adapter
