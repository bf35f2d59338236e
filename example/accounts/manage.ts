import type { Accounts, IssueOptions } from 'fastify-source-origin/accounts'
import type { MusicFolder } from '../index/music-folder.ts'
import { StartError } from '../start/start-error.ts'
import type { State } from '../state/state.ts'
import { findAccount, nameOfNew } from './account-name.ts'
import { changeLimits } from './allow.ts'
import type { Limits } from '../catalogue/limits.ts'
import { owner } from './owner.ts'
import { leaveExport } from './remove.ts'

// The account operations of `npm run account` and of the page.

/** The services that account operations use. */
export interface Managing {
  readonly accounts: Accounts
  readonly state: State
  readonly folder: MusicFolder
}

/** Changes of limits: each is a setting with its values. */
export type LimitChanges = readonly (readonly string[])[]

/** The lifetime of a link for one sign-in, in milliseconds. */
const linkLifetime = 24 * 3_600_000

/** Returns the options of a token for one sign-in. */
export const onceOptions = (label = 'a link that works once'): IssueOptions =>
  ({ label, once: true, expiresAt: Date.now() + linkLifetime })

/**
 * Adds an account, or one more token of it.
 *
 * @throws StartError if the name or a limit is not valid: then nothing is stored
 */
export async function addAccount (
  { accounts, state, folder }: Managing, given: string, options: IssueOptions, changes: LimitChanges = []
): Promise<{ name: string, token: string }> {
  const name = nameOfNew(await state.accounts(), given)
  const limits = changeAll({}, folder, changes)
  // It rejects an invalid name or label before anything is stored.
  const token = await accounts.issue(name, options)
  await state.addAccount(name)
  if (changes.length > 0) await state.limit(name, () => limits)
  return { name, token }
}

/** Issues a token for one sign-in. @throws StartError if the account does not exist */
export async function issueLink (
  { accounts, state }: Managing, given: string, label?: string
): Promise<{ name: string, token: string }> {
  const name = await requireAccount(state, given)
  return { name, token: await accounts.issue(name, onceOptions(label)) }
}

/**
 * Changes limits of an account. Without changes it returns the current limits.
 *
 * @throws StartError if a setting or a value is not valid
 */
export async function limitAccount (
  { state, folder }: Managing, given: string, changes: LimitChanges
): Promise<{ name: string, limits: Limits }> {
  const name = await requireAccount(state, given)
  const limits = changes.length === 0
    ? (await state.viewer(name)).limits
    : await state.limit(name, before => changeAll(before, folder, changes))
  if (limits.share === false) await state.playlists.shareNone(name)
  return { name, limits }
}

/**
 * Removes an account with everything that is stored for it, after an export.
 *
 * @returns the path of the export
 * @throws StartError if the account does not exist
 */
export async function removeAccount ({ accounts, state, folder }: Managing, name: string): Promise<string> {
  const isKnown = (await state.accounts()).includes(name)
  const file = isKnown ? await leaveExport(state, name, folder.dataDir) : undefined
  // A removal that was killed may have left tokens.
  await accounts.remove(name)
  if (file === undefined) throw new StartError(`Account not found: ${name}`)
  await state.removeAccount(name)
  if (name === owner) await state.addAccount(owner)
  return file
}

/** Finds an account by its name. @throws StartError if the account does not exist */
export async function requireAccount (state: State, given: string): Promise<string> {
  const name = findAccount(await state.accounts(), given)
  if (name === undefined) throw new StartError(`Account not found: ${given}`)
  return name
}

/** Returns an error of a name or a label as a `StartError`, and every other error unchanged. */
export function asStartError (error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'SOURCE_ORIGIN_ERR_INVALID_OPTION'
    ? new StartError(message.replace('Option "account"', 'The name').replace('Option "label"', 'The label'))
    : error
}

const changeAll = (limits: Limits, { catalogue }: MusicFolder, changes: LimitChanges): Limits =>
  changes.reduce((before, change) => changeLimits(before, catalogue, change), limits)
