import type { FastifyBaseLogger } from 'fastify'
import type { QualityOption, Track, TrackUrl } from '../schemas/index.ts'

/**
 * Warns about quality keys outside the configured `qualityMap` (protocol.md, Schemas): clients cannot ask for them.
 *
 * @param data an adapter's value that keeps the contract
 * @param id the track that was asked for, where the data does not name it
 */
export function warnOfQualities (data: unknown, id: unknown, qualityMap: readonly QualityOption[], log: FastifyBaseLogger): void {
  const check = (track: unknown, key: string) => {
    if (!qualityMap.some(option => option.key === key)) log.warn({ track, key }, `Quality ${key} of track ${track} is not in the qualityMap`)
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) return value.forEach(visit)
    const { qualities, quality, url } = value as Partial<Track & TrackUrl>
    if (quality !== undefined && url !== undefined) check(id, quality)
    for (const { key } of qualities ?? []) check((value as Track).id, key)
    Object.values(value).forEach(visit)
  }
  visit(data)
}
