/** The maximum `trackLimit` of clients of `/v1`. */
const mostTracks = 1000

interface Counted { readonly tracks: readonly unknown[], readonly trackCount?: number | undefined }

/** Returns whether the item has more tracks than the response contains. */
export const isCut = ({ tracks, trackCount = 0 }: Counted): boolean => tracks.length < trackCount

/**
 * Returns a playlist or an album with all tracks, for operations without pages. It first requests as many tracks as the
 * source chooses and, if tracks are missing, repeats the request with their number.
 *
 * @param ask called with a `trackLimit`; returns `undefined` if the item does not exist
 */
export async function readWhole<T extends Counted> (
  ask: (trackLimit: number) => Promise<T | undefined>
): Promise<T | undefined> {
  const chosen = await ask(-1)
  if (chosen === undefined || !isCut(chosen)) return chosen
  const asked = await ask(Math.max(mostTracks, chosen.trackCount!))
  return asked !== undefined && asked.tracks.length > chosen.tracks.length ? asked : chosen
}
