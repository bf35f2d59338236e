/**
 * Returns the quality to play: the wanted one, otherwise the nearest lower one, otherwise the nearest higher one. If
 * `wanted` is absent or not in `bestFirst`, the best one; `undefined` if nothing is available.
 *
 * @param available the qualities of this track at the upstream, in any order
 * @param bestFirst every quality in order; a quality outside it counts as the lowest
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
