import { keepsPlaysOf, keepsSome } from '../contract/keeps-plays.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { PlayCount } from '../contract/source-extras.ts'

/**
 * Returns what an account has played: what the source says, and of tracks whose plays it does not keep what is kept
 * here.
 *
 * @param since in Unix milliseconds, for the source. Default: all
 * @param readKept reads what is kept here
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
