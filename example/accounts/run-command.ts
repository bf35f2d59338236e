import { NotFoundError, SourceError } from 'fastify-source-origin'
import type { Accounts } from 'fastify-source-origin/accounts'
import type { MusicFolder } from '../index/music-folder.ts'
import { StartError } from '../monitoring/start-error.ts'
import { findAccount, nameOfNew } from './account-name.ts'
import { changeLimits, describeLimits } from './allow.ts'
import { connect, connectionsOf, disconnect, type Connecting } from './connect.ts'
import { askToRemove, leaveExport } from './remove.ts'
import { exportAccount, exportPlaylist, importAccount, importPlaylist } from './transfer.ts'
import { owner } from './owner.ts'
import { usage } from './usage.ts'

/** What commands work on. */
export interface AccountServices extends Connecting {
  readonly accounts: Accounts
  readonly folder: MusicFolder
  /** A link to the page that signs in; `undefined` where there is no page. */
  readonly linkOf: (token: string) => string | undefined
}

/** Milliseconds in which a link that works once does. */
const linkLifetime = 24 * 3_600_000

type Command = (services: AccountServices, args: readonly string[], input: string) => Promise<string>

const commands: Readonly<Record<string, Command>> = {
  async add ({ accounts, state, linkOf }, [given = '', label]) {
    const name = nameOfNew(await state.accounts(), given)
    // It refuses what cannot be a name or a label, before anything is kept.
    const token = await accounts.issue(name, { label })
    await state.addAccount(name)
    return show(name, token, linkOf)
  },

  async 'app-password' (services, [given = '', label]) {
    const name = await requireAccount(services, given)
    const password = await services.accounts.issueAppPassword(name, { label })
    return `The app password of ${name}, which is shown this once:\n${password}\nThe app logs in as ${name} with it.`
  },

  async link ({ accounts, state, linkOf }, [given = '', label = 'a link that works once']) {
    const name = await requireAccount({ state }, given)
    const token = await accounts.issue(name, { label, once: true, expiresAt: Date.now() + linkLifetime })
    const link = linkOf(token)
    if (link === undefined) throw new StartError('There is no page that a link could open: PAGE is not true')
    return `A link that signs in as ${name} once, within a day:\n${link}`
  },

  async list (services) {
    const lines: string[] = []
    const sharing = await services.state.sharing()
    for (const name of await services.state.accounts()) {
      lines.push(name === owner ? `${name} (SOURCE_API_TOKEN)` : name, ...(await tokensOf(services, name)).values(),
        ...await connectionsOf(services, name))
      if (sharing.has(name)) lines.push('  others see what it plays now')
      const { limits } = await services.state.viewer(name)
      lines.push(...describeLimits(limits).map(line => `  ${line}`))
    }
    return lines.join('\n')
  },

  async connect (services, [given = '', service = ''], input) {
    const name = await requireAccount(services, given)
    return connect(services, name, service, input)
  },

  async disconnect (services, [given = '', service = '']) {
    const name = await requireAccount(services, given)
    return disconnect(services, name, service)
  },

  async share (services, [given = '', wanted = '']) {
    const name = await requireAccount(services, given)
    if (wanted !== 'on' && wanted !== 'off') throw new StartError('Say on or off')
    await services.state.sharePlaying(name, wanted === 'on')
    return wanted === 'on' ? `Others see what ${name} plays now` : `Nobody else sees what ${name} plays`
  },

  async allow ({ state, folder }, [given = '', ...change]) {
    const name = await requireAccount({ state }, given)
    const limits = change.length === 0
      ? (await state.viewer(name)).limits
      : await state.limit(name, before => changeLimits(before, folder.catalogue, change))
    if (limits.share === false) await state.playlists.shareNone(name)
    return [name, ...describeLimits(limits).map(line => `  ${line}`)].join('\n')
  },

  async rotate ({ accounts, state, linkOf }, [given = '']) {
    const which = findAccount(await state.accounts(), given)
    if (which === undefined) return show('this account', await accounts.rotate(given), linkOf)
    const [token, ...more] = (await accounts.list(which)).filter(({ sealed }) => sealed === undefined)
    if (token === undefined) throw new StartError(`${which} has no token that could be replaced`)
    const ids = [token, ...more].map(({ id }) => id).join(', ')
    if (more.length > 0) throw new StartError(`${which} has several tokens; give an id: ${ids}`)
    return show(which, await accounts.rotate(token.id), linkOf)
  },

  async revoke ({ accounts }, [id = '']) {
    if (!await accounts.revoke(id)) throw new NotFoundError('There is no such token')
    return `${id} is of no use any more`
  },

  async remove ({ accounts, state, folder }, [given = '', said]) {
    const known = findAccount(await state.accounts(), given)
    const name = known ?? given
    if (known !== undefined && said !== known) await askToRemove(state, known, given)
    const file = known && await leaveExport(state, known, folder.dataDir)
    // One that was killed before may have left tokens.
    await accounts.remove(name)
    if (file === undefined) throw new StartError(`There is no account ${name}`)
    await state.removeAccount(name)
    if (name === owner) await state.addAccount(owner)
    const done = name === owner
      ? 'All that was kept for owner is removed; SOURCE_API_TOKEN stays of use'
      : `${name} is removed with all that was kept for it`
    return `${done}. Its playlists, favourites and plays are in ${file}`
  },

  async export (services, [given = '', playlist]) {
    const name = await requireAccount(services, given)
    return playlist === undefined
      ? exportAccount(services.state, name)
      : exportPlaylist(services.state, services.folder, name, playlist)
  },

  async import (services, [given = ''], input) {
    const name = await requireAccount(services, given)
    // npm prints what it runs before that prints anything, unless it is told to be silent.
    const file = input.replace(/^\uFEFF?(?:(?:>[^\n]*)?\n)*/, '')
    return file.startsWith('#')
      ? importPlaylist(services.state, services.folder, name, file)
      : importAccount(services.state, name, file)
  },

  async backup ({ state }, [file = '']) {
    await state.backUp(file)
    return `All that is kept for ${(await state.accounts()).join(', ')} is in ${file}`
  },

  async restore (services, [file = '']) {
    const { state, folder } = services
    const before = await allTokens(services)
    await state.restore(file, folder.dataDir)
    await state.addAccount(owner)
    const lines = [`The accounts are now ${(await state.accounts()).join(', ')}`]
    const back = [...await allTokens(services)].filter(([id]) => !before.has(id))
    if (back.length > 0) {
      lines.push('These tokens were not valid before and are valid now. Revoke those that nobody should have:')
    }
    return [...lines, ...back.map(([, line]) => line)].join('\n')
  },

  async 'forget-missing' ({ folder }) {
    await folder.forgetMissing()
    return `${folder.catalogue.tracks.size} tracks are there`
  }
}

/**
 * Runs a command on the accounts.
 *
 * @param input what `import` reads
 * @returns what to print
 * @throws StartError with a line to print for what the user has to put right
 */
export async function runCommand (
  services: AccountServices, [name = '', ...args]: readonly string[], input: string
): Promise<string> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const takesArguments = command !== undefined && command.length > 1
  if (command === undefined || (takesArguments && args.length === 0)) throw new StartError(usage)
  try {
    return await command(services, args, input)
  } catch (error) {
    if (error instanceof SourceError) {
      const why = error.cause instanceof Error ? `: ${error.cause.message}` : ''
      throw new StartError(error.message + why)
    }
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'SOURCE_ORIGIN_ERR_INVALID_OPTION') {
      throw new StartError(message.replace('Option "account"', 'NAME').replace('Option "label"', 'LABEL'))
    }
    throw error
  }
}

/** The tokens of an account by their ids, a line each. */
async function tokensOf ({ accounts }: AccountServices, name: string): Promise<Map<string, string>> {
  const tokens = await accounts.list(name)
  return new Map(tokens.map(({ id, label, createdAt, sealed, usedAt, usedBy }) => {
    const kind = sealed === undefined ? '' : ' app password'
    const use = usedAt === undefined ? '' : `  last used ${dayOf(usedAt)} by ${usedBy || 'an app without a name'}`
    return [id, `  ${id}  ${dayOf(createdAt)}${kind}  ${label ?? ''}`.trimEnd() + use]
  }))
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

async function allTokens (services: AccountServices): Promise<Map<string, string>> {
  const all = await Promise.all((await services.state.accounts()).map(name => tokensOf(services, name)))
  return new Map(all.flatMap(tokens => [...tokens]))
}

function show (name: string, token: string, linkOf: AccountServices['linkOf']): string {
  const link = linkOf(token)
  return `The token of ${name}, which is shown this once:\n${token}${link === undefined ? '' : `\nListen: ${link}`}`
}

async function requireAccount ({ state }: Pick<AccountServices, 'state'>, given: string): Promise<string> {
  const name = findAccount(await state.accounts(), given)
  if (name === undefined) throw new StartError(`There is no account ${given}`)
  return name
}
