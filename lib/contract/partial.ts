/**
 * Property of a partial response: the ids of the missing sources, for the header `Source-Partial`. A cache does not
 * store partial responses. The symbol is the same in each copy of the package.
 */
const partial: unique symbol = Symbol.for('fastify-source-origin.partial')

const none: readonly string[] = []

/** Returns the ids of the sources that are missing from a response; empty for a complete response or another value. */
export const partialOf = (data: unknown): readonly string[] =>
  (data as { readonly [partial]?: readonly string[] } | null | undefined)?.[partial] ?? none

/** Marks a response as partial and returns it. */
export const markPartial = <T extends object>(data: T, missing: readonly string[]): T =>
  missing.length === 0 ? data : Object.assign(data, { [partial]: missing })
