import type { FastifyBaseLogger } from 'fastify'
import { SqliteDialect, type SqliteDatabase } from 'kysely'
import { reasonOf } from './reason-of.ts'
import { keepOnDisk, type KeptSqlite } from './keep-on-disk.ts'
import type { Driver, Value } from './open-sqlite.ts'

/**
 * Creates Kysely's dialect of SQLite. The file is opened by the first query and closed by Kysely's `destroy`. Other
 * processes may read it meanwhile.
 *
 * @param log Receives an event when files of the database were deleted or replaced
 */
export const sqliteDialect = (file: string, log: Pick<FastifyBaseLogger, 'warn'>, driver?: Driver) =>
  new SqliteDialect({ database: async () => adapt(file, keepOnDisk(file, log, driver)) })

/** Adapts a database to Kysely. `all` and `run` of the database are used because they finalize each statement. */
function adapt (file: string, kept: KeptSqlite): SqliteDatabase {
  return {
    close: () => kept.close(),
    prepare: sql => ({
      reader: returnsRows(sql),
      all: values => kept.current.all(sql, bindable(values)),
      run (values) {
        const { current } = kept
        // SQLite has already rolled back after some errors, such as a full disk. A failed rollback would hide them.
        if (sql === 'rollback' && !current.inTransaction) return { changes: 0, lastInsertRowid: 0 }
        try {
          return current.run(sql, bindable(values))
        } catch (error) {
          throw reasonOf(error as Error, file)
        }
      },
      * iterate (values) {
        const statement = kept.current.prepare(sql)
        try {
          yield * statement.iterate(bindable(values))
        } finally {
          statement.finalize()
        }
      }
    })
  }
}

/** @throws TypeError for a string with NUL, at which the WASM build would truncate it without an error */
function bindable (values: readonly unknown[]): Value[] {
  if (values.some(value => typeof value === 'string' && value.includes('\u0000'))) {
    throw new TypeError('The database cannot hold text with NUL')
  }
  return values as Value[]
}

/** Checks by its words whether a statement returns rows: the WASM build does not report that. */
function returnsRows (sql: string): boolean {
  const words = sql.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '')
  if (/\breturning\b/i.test(words)) return true
  return /^\s*(select|values|pragma|explain|with)\b/i.test(words) && !/\b(insert|update|delete|replace)\b/i.test(words)
}
