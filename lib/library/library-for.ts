import type { Asker } from '../source/index.ts'
import { GeneratedLibrary, type ShownLibrary } from './generated-library.ts'
import { isListable } from './parts-reader.ts'

/**
 * Returns the generated library of the account.
 *
 * @param ttl the milliseconds after which a new library is read again
 */
export const generatedFor = ({ keeper }: Pick<Asker, 'keeper'>, ttl?: number): GeneratedLibrary =>
  keeper.get('', () => new GeneratedLibrary(ttl))

/** Returns the library of the source for lists; without one, the generated library of the account. */
export async function libraryFor (asker: Asker, ttl?: number): Promise<ShownLibrary> {
  const library = await asker.library()
  await library?.prepare()
  return library ?? generatedFor(asker, ttl).of(asker)
}

/** Returns whether the source has a library, or one can be generated. */
export const hasLibrary = async (asker: Asker): Promise<boolean> =>
  await asker.library() !== undefined || isListable(asker)
