/**
 * Member of an answer that lacks what some sources would have given: their ids, for the header `Source-Partial`.
 * A cache does not keep such an answer. It is the same symbol in each copy of the package.
 */
const partial: unique symbol = Symbol.for('fastify-source-origin.partial')

const none: readonly string[] = []

/** Ids of the sources that an answer lacks; empty for one that is whole, or that is no answer at all. */
export const partialOf = (data: unknown): readonly string[] =>
  (data as { readonly [partial]?: readonly string[] } | null | undefined)?.[partial] ?? none

/** The same answer, which says what it lacks. */
export const markPartial = <T extends object>(data: T, missing: readonly string[]): T =>
  missing.length === 0 ? data : Object.assign(data, { [partial]: missing })
