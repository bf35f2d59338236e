import { SqliteDialect, type SqliteDatabase } from 'kysely'
import type sqlite from 'node-sqlite3-wasm'
import { openSqlite } from './open-sqlite.ts'

/**
 * Kysely's dialect of SQLite over the driver that needs no compiler. Opens the file with the first query, for this
 * process alone, until Kysely's `destroy`.
 */
export const sqliteDialect = (file: string) => new SqliteDialect({
  database: async () => adapt(openSqlite(file))
})

/** The same over a database that is open. */
export const dialectOf = (database: sqlite.Database) => new SqliteDialect({ database: adapt(database) })

/** What Kysely needs of a driver. The short forms are used, since they free each statement. */
function adapt (database: sqlite.Database): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: sql => ({
      reader: returnsRows(sql),
      all: values => database.all(sql, bindable(values)),
      run (values) {
        // SQLite has rolled back by itself when the disk is full, for example: then that error is the one to tell.
        if (sql === 'rollback' && !database.inTransaction) return { changes: 0, lastInsertRowid: 0 }
        return database.run(sql, bindable(values))
      },
      * iterate (values) {
        const statement = database.prepare(sql)
        try {
          yield * statement.iterate(bindable(values))
        } finally {
          statement.finalize()
        }
      }
    })
  }
}

/** The driver would cut text at NUL and say nothing. */
function bindable (values: readonly unknown[]): sqlite.JSValue[] {
  if (values.some(value => typeof value === 'string' && value.includes('\u0000'))) {
    throw new TypeError('The database cannot hold text with NUL')
  }
  return values as sqlite.JSValue[]
}

/** The driver does not tell whether a statement has columns. */
function returnsRows (sql: string): boolean {
  const words = sql.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '')
  if (/\breturning\b/i.test(words)) return true
  return /^\s*(select|values|pragma|explain|with)\b/i.test(words) && !/\b(insert|update|delete|replace)\b/i.test(words)
}
