import type { SourceAdapter } from './source-adapter.ts'

/** Returns whether the source stores the plays of a track. Default: `true` for all tracks, if `getPlays` exists. */
export const keepsPlays: unique symbol = Symbol('keeps plays')

/** An adapter of several sources, of which some store plays. */
export interface PartlyKeeping { [keepsPlays]? (track: string): boolean }

/** Returns whether the source does not store the plays of some tracks. */
export const keepsSome = (adapter: SourceAdapter & PartlyKeeping): boolean => adapter[keepsPlays] !== undefined

/** Returns whether a source stores the plays of a track. */
export const keepsPlaysOf = (adapter: SourceAdapter & PartlyKeeping, track: string): boolean =>
  typeof adapter.getPlays === 'function' && (adapter[keepsPlays]?.(track) ?? true)
