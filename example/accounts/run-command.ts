import { NotFoundError, SourceError } from 'fastify-source-origin'
import { fileNameOf } from '../media/file-name.ts'
import { StartError } from '../start/start-error.ts'
import { findAccount } from './account-name.ts'
import { describeLimits } from './allow.ts'
import { connect, connectionsOf, disconnect, type Connecting } from './connect.ts'
import {
  addAccount, asStartError, issueLink, limitAccount, removeAccount, requireAccount, type Managing
} from './manage.ts'
import { askToRemove } from './remove.ts'
import { exportAccount, exportPlaylist, importAccount, importPlaylist } from './transfer.ts'
import { owner } from './owner.ts'
import { usage } from './usage.ts'

/** The services that commands use. */
export interface AccountServices extends Connecting, Managing {
  /** Returns a sign-in link of the page; `undefined` without a page. */
  readonly linkOf: (token: string) => string | undefined
}

/** The result of a command. The terminal shows the text, the page the parts. */
export interface Output {
  readonly text: string
  /** The secret that the text contains. */
  readonly secret?: string
  /** The name of the file, if the text is a file. */
  readonly file?: string
}

type Command = (services: AccountServices, args: readonly string[], input: string) => Promise<string | Output>

const commands: Readonly<Record<string, Command>> = {
  async add (services, [given = '', label]) {
    const { name, token } = await addAccount(services, given, { label })
    return show(name, token, services.linkOf)
  },

  async 'app-password' (services, [given = '', label]) {
    const name = await requireAccount(services.state, given)
    const secret = await services.accounts.issueAppPassword(name, { label })
    const shown = `The app password of ${name}, which is shown this once:\n${secret}`
    return { text: `${shown}\nThe app logs in as ${name} with it.`, secret }
  },

  async link (services, [given = '', label]) {
    const { name, token } = await issueLink(services, given, label)
    const link = services.linkOf(token)
    if (link === undefined) throw new StartError('PAGE is not true, so no page can open a link')
    return `A link that signs in as ${name} once, within a day:\n${link}`
  },

  async list (services) {
    const lines: string[] = []
    const sharing = await services.state.sharing()
    for (const name of await services.state.accounts()) {
      lines.push(name === owner ? `${name} (SOURCE_API_TOKEN)` : name, ...(await tokensOf(services, name)).values(),
        ...await connectionsOf(services, name))
      for (const { issuer, subject, validUntil } of await services.accounts.identities!.list(name)) {
        // The provider chooses the subject, which a terminal must not interpret.
        lines.push(`  ${JSON.stringify(subject)} at ${issuer}, valid until ${dayOf(validUntil)}`)
      }
      if (sharing.has(name)) lines.push('  others see what it is playing')
      const { limits } = await services.state.viewer(name)
      lines.push(...describeLimits(limits).map(line => `  ${line}`))
    }
    return lines.join('\n')
  },

  async connect (services, [given = '', service = ''], input) {
    const name = await requireAccount(services.state, given)
    return connect(services, name, service, input)
  },

  async disconnect (services, [given = '', service = '']) {
    const name = await requireAccount(services.state, given)
    return disconnect(services, name, service)
  },

  async share (services, [given = '', wanted = '']) {
    const name = await requireAccount(services.state, given)
    if (wanted !== 'on' && wanted !== 'off') throw new StartError('Say on or off')
    await services.state.sharePlaying(name, wanted === 'on')
    return wanted === 'on' ? `Others see what ${name} plays now` : `Nobody else sees what ${name} plays`
  },

  async allow (services, [given = '', ...change]) {
    const { name, limits } = await limitAccount(services, given, change.length === 0 ? [] : [change])
    return [name, ...describeLimits(limits).map(line => `  ${line}`)].join('\n')
  },

  async rotate ({ accounts, state, linkOf }, [given = '']) {
    const which = findAccount(await state.accounts(), given)
    if (which === undefined) return show('this account', await accounts.rotate(given), linkOf)
    const [token, ...more] = (await accounts.list(which)).filter(({ encrypted }) => encrypted === undefined)
    if (token === undefined) throw new StartError(`${which} has no token that could be replaced`)
    const ids = [token, ...more].map(({ id }) => id).join(', ')
    if (more.length > 0) throw new StartError(`${which} has several tokens; give an id: ${ids}`)
    return show(which, await accounts.rotate(token.id), linkOf)
  },

  async revoke ({ accounts }, [id = '']) {
    if (!await accounts.revoke(id)) throw new NotFoundError('Token not found')
    return `${id} is of no use any more`
  },

  async unbind ({ accounts, state }, [given = '', subject = '']) {
    const name = await requireAccount(state, given)
    const bindings = await accounts.identities!.list(name)
    const binding = bindings.find(binding => binding.subject === subject)
    if (binding === undefined) throw new StartError(`${name} is not bound to ${JSON.stringify(subject)}`)
    await accounts.identities!.unbind(binding)
    return `${name} is no longer bound to ${JSON.stringify(subject)} at ${binding.issuer}`
  },

  async remove (services, [given = '', said]) {
    const { state } = services
    const known = findAccount(await state.accounts(), given)
    if (known !== undefined && said !== known) await askToRemove(state, known, given)
    const name = known ?? given
    const file = await removeAccount(services, name)
    const done = name === owner
      ? 'All that was kept for owner is removed; SOURCE_API_TOKEN stays of use'
      : `${name} is removed with all that was kept for it`
    return `${done}. Its playlists, favourites and plays are in ${file}`
  },

  async export (services, [given = '', playlist]) {
    const name = await requireAccount(services.state, given)
    if (playlist !== undefined) return exportPlaylist(services.state, services.folder, name, playlist)
    return { text: await exportAccount(services.state, name), file: `${fileNameOf(name)}.json` }
  },

  async import (services, [given = ''], input) {
    const name = await requireAccount(services.state, given)
    // npm prints the command before its output, unless it is silent. These lines are removed.
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

/** Runs a command on the accounts. @returns the text to print @throws the errors of `runOperation` */
export const runCommand = async (
  services: AccountServices, args: readonly string[], input: string
): Promise<string> => (await runOperation(services, args, input)).text

/**
 * Runs a command on the accounts, for the terminal and the page.
 *
 * @param input the input of `import` and `connect`
 * @throws StartError with a message for errors that the user can correct
 */
export async function runOperation (
  services: AccountServices, [name = '', ...args]: readonly string[], input: string
): Promise<Output> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const takesArguments = command !== undefined && command.length > 1
  if (command === undefined || (takesArguments && args.length === 0)) throw new StartError(usage)
  try {
    const output = await command(services, args, input)
    return typeof output === 'string' ? { text: output } : output
  } catch (error) {
    if (error instanceof SourceError) {
      const why = error.cause instanceof Error ? `: ${error.cause.message}` : ''
      throw new StartError(error.message + why)
    }
    throw asStartError(error)
  }
}

/** Returns the tokens of an account by id, one line each. */
async function tokensOf ({ accounts }: AccountServices, name: string): Promise<Map<string, string>> {
  const tokens = await accounts.list(name)
  return new Map(tokens.map(({ id, label, createdAt, encrypted, usedAt, usedBy }) => {
    const kind = encrypted === undefined ? '' : ' app password'
    const use = usedAt === undefined ? '' : `  last used ${dayOf(usedAt)} by ${usedBy || 'an app without a name'}`
    return [id, `  ${id}  ${dayOf(createdAt)}${kind}  ${label ?? ''}`.trimEnd() + use]
  }))
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

async function allTokens (services: AccountServices): Promise<Map<string, string>> {
  const all = await Promise.all((await services.state.accounts()).map(name => tokensOf(services, name)))
  return new Map(all.flatMap(tokens => [...tokens]))
}

function show (name: string, secret: string, linkOf: AccountServices['linkOf']): Output {
  const link = linkOf(secret)
  const listen = link === undefined ? '' : `\nListen: ${link}`
  return { text: `The token of ${name}, which is shown this once:\n${secret}${listen}`, secret }
}
