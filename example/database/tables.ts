import { migrations as accountMigrations } from 'fastify-source-origin/accounts/kysely'
import type { Generated, Migration } from 'kysely'

/** Times are Unix milliseconds. PostgreSQL's driver gives a bigint as a string. */
type Whole = number | string

/** What is kept for accounts, the same in SQLite and PostgreSQL. */
export interface Tables {
  account: {
    id: string
    /** What stands for the account in the URLs of its media. */
    listener: string
    /** Goes up with each change of what is kept for the account, so that what was read before is known to be old. */
    revision: number
    /** 1 = other accounts see what this one plays now. */
    shares_playing: Generated<number>
    /** What it may not do or see, as JSON (`Limits`). */
    limits: Generated<string>
  }
  playlist: {
    id: string
    account: string
    name: string
    description: string
    created_at: Whole
    updated_at: Whole
    /** The place that the next track gets. */
    next_place: number
  }
  playlist_track: {
    playlist: string
    track: string
    place: number
    /** What to show while the file of the track is gone. */
    title: string
  }
  /** A playlist that others than its account hear, or change too. */
  playlist_share: {
    playlist: string
    /** Who does; empty = everyone. */
    account: string
    /** 1 = they change it, too. */
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
    /** When it began. */
    played_at: Whole
  }
  /** A service that is told what an account listens to. */
  connection: {
    account: string
    service: string
    /** Sealed. */
    secret: string
    /** Of the user there. */
    name: string
    /** Before this time nobody calls the service for it: somebody does now, or has to wait. */
    next_at: Whole
    /** Calls that failed since one went well. */
    tries: number
    /** What people read of these; empty = none. */
    problem: string
  }
  /** A play that a service is not told yet. */
  listen: {
    id: string
    account: string
    service: string
    played_at: Whole
    /** Of the track, as JSON: it may be gone then. */
    details: string
  }
  /** When a token or an app password was used last. */
  token_use: {
    token: string
    account: string
    used_at: Whole
    /** The app, for people. */
    used_by: string
  }
  setting: {
    name: string
    value: string
  }
  /** Texts that Subsonic apps keep: play queues, bookmarks, ratings. */
  subsonic: {
    account: string
    name: string
    value: string
  }
}

/** Those that have something of accounts; `setting` has what replicas share. */
export const accountTables = [
  'account', 'playlist', 'playlist_track', 'playlist_share', 'favorite', 'play', 'subsonic', 'connection', 'listen',
  'token_use', 'source_origin_token', 'source_origin_session'
] as readonly string[] as readonly (keyof Tables)[]

/** What made the tables before they were made at once. Nothing but these, and all of them, is what `state-5` makes. */
export const formerMigrations = ['state-1', 'state-2', 'state-3', 'state-4']

/** Makes the tables, forward only. A migration that was published never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  ...accountMigrations,
  'state-5': {
    async up ({ schema }) {
      await schema.createTable('account')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('listener', 'text', column => column.notNull().unique())
        .addColumn('revision', 'integer', column => column.notNull())
        .addColumn('shares_playing', 'integer', column => column.notNull().defaultTo(0))
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
    }
  },
  'state-6': {
    async up ({ schema }) {
      await schema.alterTable('account').addColumn('limits', 'text', column => column.notNull().defaultTo('{}'))
        .execute()
    }
  },
  'state-7': {
    async up ({ schema }) {
      await schema.createTable('playlist_share')
        .addColumn('playlist', 'text', column => column.notNull())
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('may_edit', 'integer', column => column.notNull())
        .addPrimaryKeyConstraint('playlist_share_key', ['playlist', 'account'])
        .execute()
      await schema.createIndex('playlist_share_account').on('playlist_share').column('account').execute()
    }
  },
  'state-8': {
    async up ({ schema }) {
      await schema.createTable('token_use')
        .addColumn('token', 'text', column => column.primaryKey())
        .addColumn('account', 'text', column => column.notNull())
        .addColumn('used_at', 'bigint', column => column.notNull())
        .addColumn('used_by', 'text', column => column.notNull())
        .execute()
    }
  }
}
