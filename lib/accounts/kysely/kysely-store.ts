import type { Kysely, Selection } from 'kysely'
import type { AccountStore, Binding, TokenRecord } from '../account-store.ts'
import { limitConcurrency } from '../../async/limit-concurrency.ts'
import { invalidOption, migrationsMissing } from '../../errors/author-errors.ts'
import { lockInPostgres } from './lock-in-postgres.ts'
import { migrations, type Tables } from './migrations.ts'

type Lock = AccountStore['withLock']

/**
 * Creates a store in SQLite, for one process, or in PostgreSQL, for several processes. `migrations` creates the tables.
 *
 * A lock in PostgreSQL uses a connection of the pool while a session is refreshed. At most three connections are used
 * for locks, so the pool must be larger.
 *
 * @param db your Kysely; you choose the driver and its pool, and close it
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION unless it is a Kysely for SQLite or PostgreSQL
 */
export function kyselyStore<DB> (db: Kysely<DB>): AccountStore {
  const engine = engineOf(db)
  if (engine === undefined) throw invalidOption('db', 'a Kysely for SQLite or PostgreSQL')
  const tables = db as unknown as Kysely<Tables>
  const limit = limitConcurrency({ ofKey: 1 })
  const store = storeOn(tables, engine === 'sqlite'
    ? (name, run) => limit(() => run(store), { key: name })
    : lockInPostgres(tables, connection => storeOn(connection, store.withLock)))
  return namingMigrations(store)
}

/** Returns whether an error of SQLite or PostgreSQL reports a missing table or column. */
const isMissing = ({ code, message }: { code?: unknown, message?: unknown }) =>
  ['42P01', '42703'].includes(String(code)) || /no such (?:table|column)|has no column/.test(String(message))

/** Wraps the store: errors about missing tables or columns name the migrations to run. */
function namingMigrations (store: AccountStore): AccountStore {
  type Method = (...given: unknown[]) => Promise<unknown>
  return Object.fromEntries(Object.entries<Method>(store as unknown as Record<string, Method>).map(([name, method]) =>
    [name, (...given: unknown[]) => method(...given).catch(error => {
      throw isMissing(Object(error)) ? migrationsMissing(Object.keys(migrations), error) : error
    })])) as unknown as AccountStore
}

/**
 * Detects the engine by its features instead of classes, because another copy of Kysely has other classes, and dialects
 * may be custom.
 */
function engineOf (db: unknown): 'postgres' | 'sqlite' | undefined {
  const adapter = (db as Partial<Kysely<unknown>> | undefined)?.getExecutor?.().adapter
  if (!adapter?.supportsReturning) return undefined
  return adapter.supportsTransactionalDdl ? 'postgres' : 'sqlite'
}

function storeOn (db: Kysely<Tables>, withLock: Lock): AccountStore {
  return {
    async findToken (id) {
      const row = await db.selectFrom('source_origin_token').select(tokenColumns)
        .where('id', '=', id).executeTakeFirst()
      return row && readToken(row)
    },

    async listTokens (account) {
      const rows = await db.selectFrom('source_origin_token').select(tokenColumns).where('account', '=', account)
        .orderBy('created_at').orderBy('id').execute()
      return rows.map(readToken)
    },

    async saveToken (record) {
      await db.insertInto('source_origin_token').values({ id: record.id, ...writeToken(record) }).execute()
    },

    async replaceToken (record) {
      const row = await db.updateTable('source_origin_token').set(writeToken(record)).where('id', '=', record.id)
        .returning('id').executeTakeFirst()
      return row !== undefined
    },

    async removeToken (id) {
      const removed = await db.deleteFrom('source_origin_token').where('id', '=', id).returning('id').executeTakeFirst()
      return removed !== undefined
    },

    async removeAccount (account) {
      await db.transaction().execute(async transaction => {
        await transaction.deleteFrom('source_origin_token').where('account', '=', account).execute()
        await transaction.deleteFrom('source_origin_session').where('account', '=', account).execute()
        await transaction.deleteFrom('source_origin_binding').where('account', '=', account).execute()
      })
    },

    async loadSession (account) {
      const row = await db.selectFrom('source_origin_session').select(['data', 'version'])
        .where('account', '=', account).executeTakeFirst()
      return row && { data: readBytes(row.data), version: row.version }
    },

    async saveSession (account, bytes, version) {
      const data = writeBytes(bytes)
      const row = version === 0
        ? await db.insertInto('source_origin_session').values({ account, data, version: 1 })
          .onConflict(conflict => conflict.column('account').doNothing()).returning('account').executeTakeFirst()
        : await db.updateTable('source_origin_session').set({ data, version: version + 1 })
          .where('account', '=', account).where('version', '=', version).returning('account').executeTakeFirst()
      return row !== undefined
    },

    async findBindings (of) {
      const all = db.selectFrom('source_origin_binding').select(bindingColumns)
      const rows = await ('account' in of
        ? all.where('account', '=', of.account).orderBy('issuer').orderBy('subject')
        : all.where('issuer', '=', of.issuer).where('subject', '=', of.subject)).execute()
      return rows.map(({ until, checked, sealed, ...row }) => ({
        ...row,
        validUntil: Number(until),
        checkedAt: Number(checked),
        encrypted: sealed === null ? undefined : readBytes(sealed)
      }))
    },

    async saveBinding ({ issuer, subject }, binding, version) {
      const table = 'source_origin_binding' as const
      if (binding === undefined) {
        const removed = await db.deleteFrom(table).where('issuer', '=', issuer).where('subject', '=', subject)
          .where('version', '=', version).returning('account').executeTakeFirst()
        return removed !== undefined
      }
      const values = { ...writeBinding(binding), version: version + 1 }
      const row = version === 0
        ? await db.insertInto(table).values({ issuer, subject, ...values })
          .onConflict(conflict => conflict.columns(['issuer', 'subject']).doNothing()).returning('account')
          .executeTakeFirst()
        : await db.updateTable(table).set(values).where('issuer', '=', issuer).where('subject', '=', subject)
          .where('version', '=', version).returning('account').executeTakeFirst()
      return row !== undefined
    },

    withLock
  }
}

const bindingColumns =
  ['issuer', 'subject', 'account', 'valid_until as until', 'checked_at as checked', 'sealed', 'version'] as const

const writeBinding = ({ account, validUntil, checkedAt, encrypted }: Binding) => ({
  account,
  valid_until: validUntil,
  checked_at: checkedAt,
  sealed: encrypted === undefined ? null : writeBytes(encrypted)
})

const writeBytes = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const readBytes = (text: string): Uint8Array => Buffer.from(text, 'base64')

/** Result names are one word each, because Kysely's `CamelCasePlugin` renames columns with an underscore. */
const tokenColumns = [
  'id', 'account', 'hash', 'label', 'created_at as created', 'expires_at as expires', 'lifetime', 'sealed', 'parent'
] as const

const writeToken = ({ account, hash, label, createdAt, expiresAt, lifetime, encrypted, parent }: TokenRecord) => {
  const times = { created_at: createdAt, expires_at: expiresAt ?? null, lifetime: lifetime ?? null }
  const password = encrypted === undefined ? null : writeBytes(encrypted)
  return { account, hash: writeBytes(hash), label: label ?? null, sealed: password, parent: parent ?? null, ...times }
}

function readToken (row: Selection<Tables, 'source_origin_token', typeof tokenColumns[number]>): TokenRecord {
  return {
    id: row.id,
    account: row.account,
    hash: readBytes(row.hash),
    label: row.label ?? undefined,
    createdAt: Number(row.created),
    expiresAt: row.expires === null ? undefined : Number(row.expires),
    lifetime: row.lifetime === null ? undefined : Number(row.lifetime),
    encrypted: row.sealed === null ? undefined : readBytes(row.sealed),
    parent: row.parent ?? undefined
  }
}
