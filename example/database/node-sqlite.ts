import type { Driver, Sqlite } from './sqlite-driver.ts'

/** What is used of `node:sqlite`, which the types of Node 20 do not have. */
interface NodeSqlite {
  DatabaseSync: new (file: string) => {
    exec (sql: string): void
    prepare (sql: string): {
      all (...values: unknown[]): any[]
      run (...values: unknown[]): any
      iterate (...values: unknown[]): IterableIterator<any>
    }
    close (): void
  }
}

/** Node's own SQLite, from 22.13 on. It warns that it is an experiment: that warning is left out, and no other one. */
function nodeSqlite (): NodeSqlite | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Node's own SQLite, `undefined` where it has none. */
export function nodeDriver (): Driver | undefined {
  const sqlite = nodeSqlite()
  return sqlite && { connect: file => openInNode(sqlite, file), hasLocks: true }
}

/** Node's own SQLite with the methods of the WASM build. It finalizes statements by itself. */
function openInNode ({ DatabaseSync }: NodeSqlite, file: string): Sqlite {
  const database = new DatabaseSync(file)
  const prepare: Sqlite['prepare'] = sql => {
    const statement = database.prepare(sql)
    return {
      all: (values = []) => statement.all(...values),
      run: (values = []) => statement.run(...values),
      iterate: (values = []) => statement.iterate(...values),
      finalize () {}
    }
  }
  return {
    exec: sql => database.exec(sql),
    prepare,
    all: (sql, values) => prepare(sql).all(values),
    get: (sql, values) => prepare(sql).all(values)[0] ?? null,
    run: (sql, values) => prepare(sql).run(values),
    get inTransaction () {
      // Versions before 22.16 do not tell.
      try {
        database.exec('BEGIN')
      } catch {
        return true
      }
      database.exec('ROLLBACK')
      return false
    },
    close: () => database.close()
  }
}
