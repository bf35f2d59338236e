/**
 * Checks whether two words differ by exactly one typing error: an extra letter, a missing letter, a wrong letter, or
 * two swapped neighbours.
 */
export function hasOneError (word: string, other: string): boolean {
  const more = word.length - other.length
  if (more > 1 || more < -1) return false
  const shorter = Math.min(word.length, other.length)
  let same = 0
  while (same < shorter && word.charCodeAt(same) === other.charCodeAt(same)) same++
  let sameEnd = 0
  const isSameEnd = (at: number) => word.charCodeAt(word.length - at) === other.charCodeAt(other.length - at)
  while (sameEnd < shorter - same && isSameEnd(sameEnd + 1)) sameEnd++
  const left = shorter - same - sameEnd
  if (more !== 0) return left === 0
  return left === 1 || (left === 2 && word[same] === other[same + 1] && word[same + 1] === other[same])
}
