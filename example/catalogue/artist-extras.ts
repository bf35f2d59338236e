import type { ArtistExtras } from 'fastify-source-origin'
import { withoutEmpty } from '../scan/clean-tags.ts'
import type { IndexDatabase } from '../database/index-database.ts'

/**
 * Returns the extras of an artist: from the first file whose tags contain some, and the artist's roles in tracks.
 *
 * @returns JSON, null without extras
 */
export function artistExtras (db: IndexDatabase, artist: number, id: string): string | null {
  const told = db.get<{ extras: string }>(
    'SELECT extras FROM credit WHERE artist = ? AND extras IS NOT NULL ORDER BY path LIMIT 1', artist)
  const extras = withoutEmpty<ArtistExtras>({ ...JSON.parse(told?.extras ?? '{}'), roles: rolesOf(db, id) })
  return extras === undefined ? null : JSON.stringify(extras)
}

/** Returns an artist's roles. Each is searched separately: an artist may have a role in very many tracks. */
function rolesOf (db: IndexDatabase, id: string): string[] {
  const behind = (role: string) => db.get<{ role: string }>(
    'SELECT role FROM part WHERE artist = ? AND role > ? ORDER BY role LIMIT 1', id, role)
  const roles = []
  for (let row = behind(''); row !== undefined; row = behind(row.role)) roles.push(row.role)
  return roles
}
