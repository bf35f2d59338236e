/** A value that is read, or bound. */
export type Value = string | number | null
type Bindable = Value | boolean | bigint | Uint8Array
type Row = Record<string, any>
interface Changes { changes: number | bigint, lastInsertRowid: number | bigint }

/** What is used of a driver. */
export interface Sqlite {
  readonly inTransaction: boolean
  exec (sql: string): void
  prepare (sql: string): Statement
  all (sql: string, values?: Bindable[]): Row[]
  get (sql: string, values?: Bindable[]): Row | null
  run (sql: string, values?: Bindable[]): Changes
  close (): void
}

export interface Statement {
  all (values?: Bindable[]): Row[]
  run (values?: Bindable[]): Changes
  iterate (values?: Bindable[]): IterableIterator<Row>
  finalize (): void
}

/** Node's SQLite or, on Node 20, its WASM build. Files are the same. */
export interface Driver {
  connect (file: string): Sqlite
  /** Whether other processes see its locks. */
  readonly hasLocks: boolean
}
