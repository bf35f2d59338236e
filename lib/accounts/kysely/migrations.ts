import type { Kysely, Migration } from 'kysely'

/**
 * The tables of `kyselyStore`. Binary values are base64 strings and times are integers, so that they are the same in
 * every database.
 */
export interface Tables {
  source_origin_token: {
    id: string
    account: string
    hash: string
    label: string | null
    // PostgreSQL's driver returns a bigint as a string.
    created_at: number | string
    expires_at: number | string | null
    lifetime: number | string | null
    sealed: string | null
    parent: string | null
  }
  source_origin_session: {
    account: string
    data: string
    version: number
  }
  source_origin_binding: {
    issuer: string
    subject: string
    account: string
    valid_until: number | string
    checked_at: number | string
    sealed: string | null
    version: number
  }
}

/**
 * Migrations that create the tables of `kyselyStore` and upgrade tables of an older version; forward only. For Kysely's
 * `Migrator`, with a separate `migrationTableName`, or together with the migrations of the source and
 * `allowUnorderedMigrations`. An interrupted migration can run again.
 */
export const migrations: Readonly<Record<string, Migration>> = Object.freeze({
  'source-origin-accounts-1': {
    async up (db) {
      await db.schema.createTable('source_origin_token').ifNotExists()
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('hash', 'text', column => column.notNull())
        .addColumn('label', 'text')
        .addColumn('created_at', 'bigint', column => column.notNull())
        .addColumn('expires_at', 'bigint')
        .execute()
      await db.schema.createIndex('source_origin_token_account').ifNotExists()
        .on('source_origin_token').column('account').execute()
      await db.schema.createTable('source_origin_session').ifNotExists()
        .addColumn('account', 'text', column => column.primaryKey())
        .addColumn('data', 'text', column => column.notNull())
        .addColumn('version', 'integer', column => column.notNull())
        .execute()
    }
  } satisfies Migration,
  'source-origin-accounts-2': { up: db => addColumn(db, 'lifetime', 'bigint') } satisfies Migration,
  'source-origin-accounts-3': { up: db => addColumn(db, 'sealed', 'text') } satisfies Migration,
  'source-origin-accounts-4': { up: db => addColumn(db, 'parent', 'text') } satisfies Migration,
  'source-origin-accounts-5': {
    async up (db) {
      await db.schema.createTable('source_origin_binding').ifNotExists()
        .addColumn('issuer', 'text', column => column.notNull())
        .addColumn('subject', 'text', column => column.notNull())
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('valid_until', 'bigint', column => column.notNull())
        .addColumn('checked_at', 'bigint', column => column.notNull())
        .addColumn('sealed', 'text')
        .addColumn('version', 'integer', column => column.notNull())
        .addPrimaryKeyConstraint('source_origin_binding_key', ['issuer', 'subject'])
        .execute()
      await db.schema.createIndex('source_origin_binding_account').ifNotExists()
        .on('source_origin_binding').column('account').execute()
    }
  } satisfies Migration
})

/** Adds a column, unless it exists after an interrupted run. SQLite has no "if not exists" for columns. */
async function addColumn (db: Kysely<any>, name: string, type: 'bigint' | 'text'): Promise<void> {
  try {
    await db.schema.alterTable('source_origin_token').addColumn(name, type).execute()
  } catch (error) {
    const isThere = db.selectFrom('source_origin_token').select(name).limit(1).execute()
    await isThere.catch(() => { throw error })
  }
}
