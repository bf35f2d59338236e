import { migrations as accountMigrations } from 'fastify-source-origin/accounts/kysely'
import type { Generated, Migration } from 'kysely'

/** An integer. Times are in Unix milliseconds. PostgreSQL's driver returns a bigint as a string. */
type Whole = number | string

/** The tables of the accounts, identical in SQLite and PostgreSQL. */
export interface Tables {
  account: {
    id: string
    /** The identifier of the account in its media URLs. */
    listener: string
    /** The revision of the account's data. Each change increments it, which invalidates earlier reads. */
    revision: number
    /** 1 = other accounts see the track that this account plays now. */
    shares_playing: Generated<number>
    /** The restrictions of the account, as JSON (`Limits`). */
    limits: Generated<string>
  }
  playlist: {
    id: string
    account: string
    name: string
    description: string
    created_at: Whole
    updated_at: Whole
    /** The position of the next added track. */
    next_place: number
  }
  playlist_track: {
    playlist: string
    track: string
    place: number
    /** The title to show while the file of the track is missing. */
    title: string
  }
  /** A playlist that is shared with other accounts. */
  playlist_share: {
    playlist: string
    /** The account that the playlist is shared with; empty = everyone. */
    account: string
    /** 1 = that account may also change the playlist. */
    may_edit: number
  }
  favorite: {
    account: string
    kind: 'track' | 'artist' | 'album' | 'playlist'
    item: string
    added_at: Whole
  }
  play: {
    account: string
    track: string
    /** The time when the play began. */
    played_at: Whole
  }
  /** A service that receives the plays of an account. */
  connection: {
    account: string
    service: string
    /** The encrypted credentials. */
    secret: string
    /** The name of the user at the service. */
    name: string
    /** The time before which no process calls the service for the account: a call is running, or has to wait. */
    next_at: Whole
    /** The number of failed calls since the last successful one. */
    tries: number
    /** A message for people about the failed calls; empty = no problem. */
    problem: string
  }
  /** A play that is not yet sent to a service. */
  listen: {
    id: string
    account: string
    service: string
    played_at: Whole
    /** The details of the track, as JSON: the track may be deleted before the play is sent. */
    details: string
  }
  /** The last use of a token or an app password. */
  token_use: {
    token: string
    account: string
    used_at: Whole
    /** The name of the app, for people. */
    used_by: string
  }
  setting: {
    name: string
    value: string
  }
  /** Data that Subsonic apps store: play queues, bookmarks, ratings. */
  subsonic: {
    account: string
    name: string
    value: string
  }
}

/** The tables with data of accounts. The remaining table, `setting`, contains data that replicas share. */
export const accountTables = [
  'account', 'playlist', 'playlist_track', 'playlist_share', 'favorite', 'play', 'subsonic', 'connection', 'listen',
  'token_use', 'source_origin_token', 'source_origin_session', 'source_origin_binding'
] as readonly string[] as readonly (keyof Tables)[]

/** The migration that creates the tables. A database without it is of a version that cannot be upgraded. */
export const firstMigration = 'state-8'

/** The migrations that `firstMigration` has replaced. All of them together have created the same tables. */
export const formerMigrations = Array.from({ length: 7 }, (_, index) => `state-${index + 1}`)

/** The migrations that create the tables. They cannot be reverted. A published migration never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  ...accountMigrations,
  [firstMigration]: {
    async up ({ schema }) {
      await schema.createTable('account')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('listener', 'text', column => column.notNull().unique())
        .addColumn('revision', 'integer', column => column.notNull())
        .addColumn('shares_playing', 'integer', column => column.notNull().defaultTo(0))
        .addColumn('limits', 'text', column => column.notNull().defaultTo('{}'))
        .execute()
      await schema.createTable('playlist')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('name', 'text', column => column.notNull())
        .addColumn('description', 'text', column => column.notNull())
        .addColumn('created_at', 'bigint', column => column.notNull())
        .addColumn('updated_at', 'bigint', column => column.notNull())
        .addColumn('next_place', 'integer', column => column.notNull())
        .execute()
      await schema.createIndex('playlist_account').on('playlist').column('account').execute()
      await schema.createTable('playlist_track')
        .addColumn('playlist', 'text', column => column.notNull())
        .addColumn('track', 'text', column => column.notNull())
        .addColumn('place', 'integer', column => column.notNull())
        .addColumn('title', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('playlist_track_key', ['playlist', 'track'])
        .execute()
      await schema.createIndex('playlist_track_place').on('playlist_track').columns(['playlist', 'place']).execute()
      await schema.createTable('favorite')
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('kind', 'text', column => column.notNull())
        .addColumn('item', 'text', column => column.notNull())
        .addColumn('added_at', 'bigint', column => column.notNull())
        .addPrimaryKeyConstraint('favorite_key', ['account', 'kind', 'item'])
        .execute()
      await schema.createTable('play')
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('track', 'text', column => column.notNull())
        .addColumn('played_at', 'bigint', column => column.notNull())
        .addPrimaryKeyConstraint('heard_key', ['account', 'track', 'played_at'])
        .execute()
      await schema.createIndex('play_account_time').on('play').columns(['account', 'played_at']).execute()
      await schema.createTable('setting')
        .addColumn('name', 'text', column => column.primaryKey())
        .addColumn('value', 'text', column => column.notNull())
        .execute()
      await schema.createTable('subsonic')
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('name', 'text', column => column.notNull())
        .addColumn('value', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('subsonic_key', ['account', 'name'])
        .execute()
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
      await schema.createTable('playlist_share')
        .addColumn('playlist', 'text', column => column.notNull())
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('may_edit', 'integer', column => column.notNull())
        .addPrimaryKeyConstraint('playlist_share_key', ['playlist', 'account'])
        .execute()
      await schema.createIndex('playlist_share_account').on('playlist_share').column('account').execute()
      await schema.createTable('token_use')
        .addColumn('token', 'text', column => column.primaryKey())
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('used_at', 'bigint', column => column.notNull())
        .addColumn('used_by', 'text', column => column.notNull())
        .execute()
    }
  },
  /** A playlist may contain a track several times. SQLite cannot change the primary key of a table. */
  'state-9': {
    async up (db) {
      const { schema } = db
      await schema.createTable('playlist_entry')
        .addColumn('playlist', 'text', column => column.notNull())
        .addColumn('track', 'text', column => column.notNull())
        .addColumn('place', 'integer', column => column.notNull())
        .addColumn('title', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('playlist_entry_key', ['playlist', 'place'])
        .execute()
      await db.insertInto('playlist_entry').columns(['playlist', 'track', 'place', 'title'])
        .expression(db.selectFrom('playlist_track').select(['playlist', 'track', 'place', 'title'])).execute()
      await schema.dropTable('playlist_track').execute()
      await schema.alterTable('playlist_entry').renameTo('playlist_track').execute()
    }
  }
}
