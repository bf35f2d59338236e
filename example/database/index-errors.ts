import { strictEqual } from 'node:assert'
import type { Sqlite } from './open-sqlite.ts'

class DamagedError extends Error {}

/** Thrown for an index that a newer version has written. */
export class NewerError extends Error {}

/** Thrown for an index that an older version has written. */
export class OlderError extends Error {}

/** Checks whether a damaged file is the reason of an error, and not a full disk, for example. */
export const isDamage = (error: Error): boolean => error instanceof DamagedError ||
  /EISDIR|malformed|not a database|unsupported file format|fts5: corrupt|vtable constructor failed/.test(error.message)

/** @throws DamagedError if SQLite's `quick_check` finds damage */
export function refuseDamage (database: Sqlite, schema: 'main' | 'ids'): void {
  const result = database.get(`PRAGMA ${schema}.quick_check`)!.quick_check
  strictEqual(result, 'ok', new DamagedError(String(result)))
}
