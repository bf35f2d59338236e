/**
 * The quality to play: the one that is wanted, else the nearest lower one, else the nearest higher one. The best one
 * for a wish that is absent or not in `bestFirst`; `undefined` if nothing is available.
 *
 * @param available what the upstream has of this track, in any order
 * @param bestFirst every quality in order; one that is not in it counts as the lowest
 */
export function chooseQuality (
  wanted: string | undefined,
  available: readonly string[],
  bestFirst: readonly string[]
): string | undefined {
  if (wanted !== undefined && available.includes(wanted)) return wanted
  const rankOf = (quality: string) => bestFirst.includes(quality) ? bestFirst.indexOf(quality) : bestFirst.length
  const ranked = available.toSorted((a, b) => rankOf(a) - rankOf(b))
  if (wanted === undefined || !bestFirst.includes(wanted)) return ranked[0]
  return ranked.find(quality => rankOf(quality) > rankOf(wanted)) ?? ranked.at(-1)
}
