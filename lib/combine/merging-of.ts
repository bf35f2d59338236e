import { idsOf, isMerging, type merging, type Merging } from '../contract/merged-items.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { type CombinedIds, idsIn } from './combined-ids.ts'
import { mergeSame } from './same-items.ts'

/**
 * Returns the merge rules of a combination for items in several sources. Artists have merged ids in every combination.
 *
 * @param merges whether duplicate tracks are merged
 */
export function mergingOf (
  sources: readonly NamespacedSource[], ids: CombinedIds, merges: boolean
): NonNullable<Merging[typeof merging]> {
  const hasInner = sources.some(({ adapter }) => isMerging(adapter))
  return {
    ids (id) {
      if (!hasInner && !id.startsWith('+')) return [id]
      const parts = idsIn(id).flatMap(part => {
        const source = sources.find(source => source.own(part) !== undefined)
        return source === undefined ? [part] : idsOf(source.adapter)(source.own(part)!).map(source.rename)
      })
      return parts.length > 0 ? parts : [id]
    },
    tracks: tracks => merges ? mergeSame(tracks, 'Track', ids) : tracks
  }
}
