import type { Driver, Sqlite } from './sqlite-driver.ts'

/** The part of `node:sqlite` that the driver uses. The types of Node 20 do not declare that module. */
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

/** Loads `node:sqlite` (Node.js 22.13 and later) without its warning that it is experimental. */
function nodeSqlite (): NodeSqlite | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Returns a driver that uses `node:sqlite`; `undefined` if Node.js does not have that module. */
export function nodeDriver (): Driver | undefined {
  const sqlite = nodeSqlite()
  return sqlite && { connect: file => openInNode(sqlite, file), hasLocks: true }
}

/** Opens a database with `node:sqlite`, with the methods of the WASM build. Node.js finalizes statements itself. */
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
      // Node.js versions before 22.16 do not report it.
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
