/** How a list becomes another one where tracks can only be removed, wherever they stand, and added at the end. */
export interface EditPlan {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** The longest beginning of the new list that can stay: all that stands between goes, and comes again at the end. */
export function planEdit (before: readonly string[], after: readonly string[]): EditPlan {
  for (let most = after.length; ;) {
    let stays = 0
    const removed = new Set(before.filter(id => {
      if (stays === most || id !== after[stays]) return true
      stays++
      return false
    }))
    const kept = after.slice(0, stays)
    // A track that stands there twice goes in both places.
    const broken = kept.findIndex(id => removed.has(id))
    if (broken === -1) {
      const there = new Set(kept)
      return { removed: [...removed], added: [...new Set(after.slice(stays))].filter(id => !there.has(id)) }
    }
    most = broken
  }
}
