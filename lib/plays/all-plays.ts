import { keepsPlaysOf, keepsSome } from '../contract/keeps-plays.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { PlayCount } from '../contract/source-extras.ts'

/**
 * Returns the plays of an account: the plays of the source and, for tracks whose plays it does not store, the plays
 * stored here.
 *
 * @param since in Unix milliseconds, for the source. Default: all
 * @param readKept returns the plays stored here
 */
export async function allPlays (
  adapter: SourceAdapter, readKept: () => Promise<readonly PlayCount[]>, since?: number
): Promise<readonly PlayCount[]> {
  if (typeof adapter.getPlays !== 'function') return readKept()
  const ofSource = await adapter.getPlays(since)
  if (!keepsSome(adapter)) return ofSource
  const kept = (await readKept()).filter(({ id }) => !keepsPlaysOf(adapter, id))
  return [...ofSource, ...kept]
}
