import type { SourceSession } from '../source/index.ts'
import { GeneratedLibrary, type ShownLibrary } from './generated-library.ts'
import { isListable } from './parts-reader.ts'

/**
 * Returns the generated library of the account.
 *
 * @param ttl the milliseconds after which a new library is read again
 */
export const generatedFor = ({ keeper }: Pick<SourceSession, 'keeper'>, ttl?: number): GeneratedLibrary =>
  keeper.get('', () => new GeneratedLibrary(ttl))

/** Returns the library of the source for lists; without one, the generated library of the account. */
export async function libraryFor (session: SourceSession, ttl?: number): Promise<ShownLibrary> {
  const library = await session.library()
  await library?.prepare()
  return library ?? generatedFor(session, ttl).of(session)
}

/** Returns whether the source has a library, or one can be generated. */
export const hasLibrary = async (session: SourceSession): Promise<boolean> =>
  await session.library() !== undefined || isListable(session)
