/** The steps that turn a list into another one if tracks can only be removed anywhere and added at the end. */
export interface EditPlan {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/**
 * Plans an edit that preserves the longest possible beginning of the new list. All other tracks are removed, and added
 * again at the end if needed.
 */
export function planEdit (before: readonly string[], after: readonly string[]): EditPlan {
  for (let most = after.length; ;) {
    let stays = 0
    const removed = new Set(before.filter(id => {
      if (stays === most || id !== after[stays]) return true
      stays++
      return false
    }))
    const kept = after.slice(0, stays)
    // A removal removes all copies of a track.
    const broken = kept.findIndex(id => removed.has(id))
    if (broken === -1) return { removed: [...removed], added: after.slice(stays) }
    most = broken
  }
}
