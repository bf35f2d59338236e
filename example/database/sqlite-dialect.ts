import { SqliteDialect, type SqliteDatabase } from 'kysely'
import { reasonOf } from './reason-of.ts'
import { keepOnDisk, type KeptSqlite } from './keep-on-disk.ts'
import type { Driver, Value } from './open-sqlite.ts'

/**
 * Kysely's dialect of SQLite. Opens the file with the first query, until Kysely's `destroy`; other processes may read
 * it.
 *
 * @param tell is given a line when files of the database were deleted or replaced
 */
export const sqliteDialect = (file: string, tell: (message: string) => void, driver?: Driver) => new SqliteDialect({
  database: async () => adapt(file, keepOnDisk(file, tell, driver))
})

/** What Kysely needs of a driver. The short forms are used, since they free each statement. */
function adapt (file: string, kept: KeptSqlite): SqliteDatabase {
  return {
    close: () => kept.close(),
    prepare: sql => ({
      reader: returnsRows(sql),
      all: values => kept.current.all(sql, bindable(values)),
      run (values) {
        const { current } = kept
        // SQLite has rolled back by itself when the disk is full, for example: then that error is the one to tell.
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

/** The WASM build would cut text at NUL and say nothing. */
function bindable (values: readonly unknown[]): Value[] {
  if (values.some(value => typeof value === 'string' && value.includes('\u0000'))) {
    throw new TypeError('The database cannot hold text with NUL')
  }
  return values as Value[]
}

/** The WASM build does not tell whether a statement has columns. */
function returnsRows (sql: string): boolean {
  const words = sql.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '')
  if (/\breturning\b/i.test(words)) return true
  return /^\s*(select|values|pragma|explain|with)\b/i.test(words) && !/\b(insert|update|delete|replace)\b/i.test(words)
}
