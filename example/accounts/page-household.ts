import { BadRequestError, NotFoundError, SourceError } from 'fastify-source-origin'
import type { Household, HouseholdLimit, HouseholdOperation } from 'fastify-source-origin/page'
import type { ErrorsOfToday } from '../monitoring/errors-of-today.ts'
import { StartError } from '../start/start-error.ts'
import { freeBytes, storedBytes } from '../monitoring/stored-bytes.ts'
import type { Settings } from '../start/settings.ts'
import { nameOfNew } from './account-name.ts'
import { listLimits } from './allow.ts'
import { findBackup, listBackups, makeBackup } from './backups.ts'
import { connectionsFor } from './connect.ts'
import {
  addAccount, asStartError, issueLink, limitAccount, onceOptions, removeAccount, requireAccount
} from './manage.ts'
import { owner } from './owner.ts'
import { countStored } from './remove.ts'
import { runOperation, type AccountServices, type Output } from './run-command.ts'

interface HouseholdServices extends AccountServices {
  readonly settings: Pick<Settings, 'DATA_DIR' | 'TRANSCODED_DIR' | 'PUBLIC_URL'>
  readonly errors: ErrorsOfToday
}

const changesOf = (limits: readonly HouseholdLimit[]) => limits.map(({ setting, values }) => [setting, ...values])

/**
 * Returns whether the account was removed during the request. The page reads a 401 as a rejection of the owner's token.
 */
const isGone = (error: unknown) => error instanceof SourceError && error.status === 401

/** Converts errors that the operator can correct to errors of the request. */
function reported<A extends readonly unknown[], T> (run: (...given: A) => Promise<T>): (...given: A) => Promise<T> {
  return async (...given) => {
    try {
      return await run(...given)
    } catch (error) {
      if (isGone(error)) throw new NotFoundError('Account not found')
      const reason = asStartError(error)
      throw reason instanceof StartError ? new BadRequestError(reason.message) : error
    }
  }
}

/** Returns the household functions of the page. */
export function pageHousehold (services: HouseholdServices): Household {
  const { accounts, state, folder, settings, linkOf, errors } = services
  const { DATA_DIR } = settings
  // Without a public address the page creates the link from the address that the owner uses.
  const withLink = (made: { name: string, token: string }) =>
    ({ ...made, link: settings.PUBLIC_URL === '' ? undefined : linkOf(made.token) })

  async function describe (name: string) {
    const [{ limits }, tokens] = await Promise.all([state.viewer(name), accounts.list(name)])
    const now = Date.now()
    return {
      name,
      isOwner: name === owner,
      limits: listLimits(limits).map(([setting, ...values]) => ({ setting, values })) as HouseholdLimit[],
      tokens: tokens.filter(({ expiresAt = Infinity }) => expiresAt > now)
        .map(({ id, label, createdAt, encrypted, usedAt, usedBy }) =>
          ({ id, name: label, createdAt, usedAt, usedBy, isApp: encrypted !== undefined }))
    }
  }

  const skipGone = (error: unknown) => {
    if (isGone(error)) return []
    throw error
  }

  /** Runs an operation. The page sends no path: backups are in the data folder. */
  async function run (operation: HouseholdOperation, values: readonly string[], input: string): Promise<Output> {
    const call = (...args: readonly string[]) => runOperation(services, [operation, ...args], input)
    if (operation === 'backup') return makeBackup(DATA_DIR, call)
    if (operation === 'restore') return call(await findBackup(DATA_DIR, values[0]!))
    return call(...values)
  }

  return {
    isManagedBy: ({ accountName }) => accountName === owner,

    async list () {
      const names = await state.accounts()
      return {
        accounts: (await Promise.all(names.map(name => describe(name).catch(skipGone)))).flat(),
        genres: folder.catalogue.facets('tracks').genres.map(({ name }) => name)
      }
    },

    add: reported(async (given, limits) => {
      const known = await state.accounts()
      const name = nameOfNew(known, given)
      if (known.includes(name)) throw new StartError(`There is already an account ${name}`)
      return withLink(await addAccount(services, name, onceOptions(), changesOf(limits)))
    }),

    link: reported(async account => withLink(await issueLink(services, account))),

    limit: reported((account, limits) => limitAccount(services, account, changesOf(limits))),

    revoke: id => accounts.revoke(id),

    count: reported(async account => countStored(state, await requireAccount(state, account))),

    remove: reported(async account => ({ file: await removeAccount(services, account) })),

    details: reported(async account => {
      const name = await requireAccount(state, account)
      const [playlists, sharing, connections] = await Promise.all(
        [state.playlists.list(name), state.sharing(), connectionsFor(services, name)])
      const lists = playlists.map(({ id, name }) => ({ id, name }))
      return { playlists: lists, sharesPlaying: sharing.has(name), connections }
    }),

    run: reported(async (operation, values, input) => {
      const { text, secret, file } = await run(operation, values, input)
      if (file !== undefined) return { file: { name: file, text } }
      return secret === undefined ? { message: text } : { secret }
    }),

    async server () {
      const { leftOut, lastScan, catalogue } = folder
      return {
        stored: await storedBytes(settings),
        free: await freeBytes(DATA_DIR),
        backups: await listBackups(DATA_DIR),
        scan: lastScan && { ...lastScan, tracks: catalogue.tracks.size },
        leftOut,
        errors: errors.read()
      }
    }
  }
}
