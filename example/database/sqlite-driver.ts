/** A value of a row or a parameter. */
export type Value = string | number | null
type Bindable = Value | boolean | bigint | Uint8Array
type Row = Record<string, any>
interface Changes { changes: number | bigint, lastInsertRowid: number | bigint }

/** The methods of an open database. */
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

/** The driver: `node:sqlite` or, on Node 20, the WASM build of SQLite. Both use the same file format. */
export interface Driver {
  connect (file: string): Sqlite
  /** `true` if other processes see the locks of the driver. */
  readonly hasLocks: boolean
}
