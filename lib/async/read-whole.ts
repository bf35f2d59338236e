/** Most tracks that clients of `/v1` can ask for by a number. */
const mostTracks = 1000

interface Counted { readonly tracks: readonly unknown[], readonly trackCount?: number | undefined }

/** Whether it has more tracks than it shows. */
export const isCut = ({ tracks, trackCount = 0 }: Counted): boolean => tracks.length < trackCount

/**
 * All tracks of a playlist or an album, where no pages can be asked for: as many as the source chooses, and where that
 * is not all of them, by their number.
 *
 * @param ask with a `trackLimit`; `undefined` where the source has no such thing
 */
export async function readWhole<T extends Counted> (
  ask: (trackLimit: number) => Promise<T | undefined>
): Promise<T | undefined> {
  const chosen = await ask(-1)
  if (chosen === undefined || !isCut(chosen)) return chosen
  const asked = await ask(Math.max(mostTracks, chosen.trackCount!))
  return asked !== undefined && asked.tracks.length > chosen.tracks.length ? asked : chosen
}
