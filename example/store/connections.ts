import type { Kysely } from 'kysely'

/** Makes the tables of what services are told. */
export async function connections ({ schema }: Kysely<any>): Promise<void> {
  await schema.createTable('connection')
    .addColumn('account', 'text', column => column.notNull())
    .addColumn('service', 'text', column => column.notNull())
    .addColumn('secret', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('next_at', 'bigint', column => column.notNull())
    .addColumn('tries', 'integer', column => column.notNull())
    .addColumn('problem', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('connection_key', ['account', 'service'])
    .execute()
  await schema.createTable('listen')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('account', 'text', column => column.notNull())
    .addColumn('service', 'text', column => column.notNull())
    .addColumn('played_at', 'bigint', column => column.notNull())
    .addColumn('details', 'text', column => column.notNull())
    .execute()
  await schema.createIndex('listen_time').on('listen').columns(['account', 'service', 'played_at']).execute()
}
