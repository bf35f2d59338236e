import type { SourceAdapter } from './source-adapter.ts'

/** Tells whether the source keeps the plays of a track itself. Default: of all, where it has `getPlays`. */
export const keepsPlays: unique symbol = Symbol('keeps plays')

/** An adapter of several sources, of which some keep plays. */
export interface PartlyKeeping { [keepsPlays]? (track: string): boolean }

/** Whether some tracks are played whose plays a source does not keep. */
export const keepsSome = (adapter: SourceAdapter & PartlyKeeping): boolean => adapter[keepsPlays] !== undefined

/** Whether a source keeps the plays of a track itself. */
export const keepsPlaysOf = (adapter: SourceAdapter & PartlyKeeping, track: string): boolean =>
  typeof adapter.getPlays === 'function' && (adapter[keepsPlays]?.(track) ?? true)
