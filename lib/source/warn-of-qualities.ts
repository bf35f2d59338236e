import type { Log } from './caller.ts'
import type { QualityOption, Track, TrackUrl } from '../../schemas/index.ts'

/**
 * Warns about quality keys outside the configured `qualityMap` (docs/reference/contract.md, Schemas). Clients cannot
 * request them.
 *
 * @param body the response body, because the adapter's object may contain more, for example itself
 * @param id the requested track, if the response does not name it
 */
export function warnOfQualities (
  body: string, id: unknown, qualityMap: readonly QualityOption[], log: Log
): void {
  const offered = new Set(qualityMap.map(option => option?.key))
  const warnUnlessOffered = (track: unknown, key: string) => {
    if (!offered.has(key)) log.warn({ track, key }, 'quality not declared')
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { durationMs, qualities, quality } = value as Partial<Track & TrackUrl>
    if (quality !== undefined) warnUnlessOffered(id, quality)
    for (const { key } of qualities ?? []) warnUnlessOffered((value as Track).id, key)
    // A track contains no other tracks, so its properties are not visited.
    if (durationMs === undefined) Object.values(value).forEach(visit)
  }
  visit(JSON.parse(body))
}
