import type { Log } from './caller.ts'
import type { QualityOption, Track, TrackUrl } from '../../schemas/index.ts'

/**
 * Warns about quality keys outside the configured `qualityMap` (docs/reference/contract.md, Schemas): clients cannot
 * ask for them.
 *
 * @param body the answer as it is sent: what an adapter gave may hold more, itself for example
 * @param id the track that was asked for, where the answer does not name it
 */
export function warnOfQualities (
  body: string, id: unknown, qualityMap: readonly QualityOption[], log: Log
): void {
  const offered = new Set(qualityMap.map(option => option?.key))
  const warnUnlessOffered = (track: unknown, key: string) => {
    if (!offered.has(key)) log.warn({ track, key }, `Quality ${key} of track ${track} is not in the qualityMap`)
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { durationMs, qualities, quality } = value as Partial<Track & TrackUrl>
    if (quality !== undefined) warnUnlessOffered(id, quality)
    for (const { key } of qualities ?? []) warnUnlessOffered((value as Track).id, key)
    // A track contains no other tracks, so its members are not visited.
    if (durationMs === undefined) Object.values(value).forEach(visit)
  }
  visit(JSON.parse(body))
}
