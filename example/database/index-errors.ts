import { strictEqual } from 'node:assert'
import type { Sqlite } from './open-sqlite.ts'

class DamagedError extends Error {}

/** An index of a newer version. */
export class NewerError extends Error {}

/** An index of an older version. */
export class OlderError extends Error {}

/** Whether the reason is what is in the file, and not a full disk, for example. */
export const isDamage = (error: Error): boolean => error instanceof DamagedError ||
  /EISDIR|malformed|not a database|unsupported file format|fts5: corrupt|vtable constructor failed/.test(error.message)

/** @throws DamagedError */
export function refuseDamage (database: Sqlite, schema: 'main' | 'ids'): void {
  const result = database.get(`PRAGMA ${schema}.quick_check`)!.quick_check
  strictEqual(result, 'ok', new DamagedError(String(result)))
}
