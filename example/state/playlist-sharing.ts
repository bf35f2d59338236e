import { NotFoundError, SourceError, type PlaylistSharing } from 'fastify-source-origin'
import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Database } from './state-database.ts'

/** Selects the ids of playlists that other accounts share with an account. @param least 1 if it must be able to edit */
export const sharedWith = (db: Database, account: string, least = 0) =>
  db.selectFrom('playlist_share').select('playlist').where('playlist_share.account', 'in', [account, ''])
    .where('may_edit', '>=', least)

export const mayHear = (db: Database, account: string) => (is: ExpressionBuilder<Tables, 'playlist'>) =>
  is.or([is('playlist.account', '=', account), is('playlist.id', 'in', sharedWith(db, account))])

export const mayChange = (db: Database, account: string) => (is: ExpressionBuilder<Tables, 'playlist'>) =>
  is.or([is('playlist.account', '=', account), is('playlist.id', 'in', sharedWith(db, account, 1))])

export const noSuchPlaylist = () => new NotFoundError('Playlist not found')

/** @throws SourceError (403) for a playlist that another account shares, NotFoundError for one that is not shared */
export async function refuse (db: Database, account: string, id: string): Promise<never> {
  const row = await db.selectFrom('playlist').select('account').where(mayHear(db, account)).where('id', '=', id)
    .executeTakeFirst()
  throw row === undefined
    ? noSuchPlaylist()
    : new SourceError(403, `This playlist is one of ${row.account}, who alone may do that`)
}

/** Increments the revision of all other accounts that can hear a playlist. */
export async function tellOthers (db: Database, account: string, id: string): Promise<void> {
  const shared = db.selectFrom('playlist_share').where('playlist', '=', id)
  await db.updateTable('account').set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '<>', account)
    .where(({ or, eb, exists }) => or([
      eb('id', 'in', db.selectFrom('playlist').select('playlist.account').where('playlist.id', '=', id)),
      eb('id', 'in', shared.select('playlist_share.account')),
      exists(shared.select('playlist').where('playlist_share.account', '=', ''))
    ])).execute()
}

/** @throws the error of `refuse` if the account does not own the playlist */
async function requireOwn (db: Database, account: string, id: string): Promise<void> {
  const own = await db.selectFrom('playlist').select('id').where('account', '=', account).where('id', '=', id)
    .executeTakeFirst()
  if (own === undefined) await refuse(db, account, id)
}

/** Returns the rights of all other accounts in a playlist of an account. */
export async function readSharing (db: Database, account: string, id: string): Promise<PlaylistSharing> {
  await requireOwn(db, account, id)
  const rows = await db.selectFrom('account').leftJoin('playlist_share', join => join
    .onRef('playlist_share.account', '=', 'account.id').on('playlist_share.playlist', '=', id))
    .select(['account.id as name', 'may_edit']).where('account.id', '<>', account)
    .unionAll(db.selectFrom('playlist_share').select(['account as name', 'may_edit'])
      .where('playlist', '=', id).where('account', '=', ''))
    .orderBy('name').execute()
  const mays = rows.map(({ name, may_edit: edit }) =>
    [name, edit === null ? 'no' : edit === 1 ? 'edit' : 'hear'] as const)
  const { '': everyone = 'no', ...people } = Object.fromEntries(mays)
  return { everyone, people }
}

/**
 * Changes the rights of other accounts in a playlist of an account. Accounts that are not listed keep theirs.
 *
 * @throws NotFoundError if an account does not exist
 */
export async function changeSharing (
  db: Database, account: string, id: string, { everyone, people = {} }: PlaylistSharing
): Promise<void> {
  const changes = Object.entries({ ...people, ...everyone && { '': everyone } })
  await requireOwn(db, account, id)
  // The accounts with rights before the change, and those with rights after it.
  await tellOthers(db, account, id)
  for (const [name, may] of changes) {
    const known = name === '' || await db.selectFrom('account').select('id').where('id', '=', name)
      .where('id', '<>', account).executeTakeFirst()
    if (!known) throw new NotFoundError(`Account not found: ${name}`)
    await db.deleteFrom('playlist_share').where('playlist', '=', id).where('account', '=', name).execute()
    if (may === 'no') continue
    await db.insertInto('playlist_share').values({ playlist: id, account: name, may_edit: Number(may === 'edit') })
      .execute()
  }
  await tellOthers(db, account, id)
}
