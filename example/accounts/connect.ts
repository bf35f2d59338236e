import { SourceError } from 'fastify-source-origin'
import type { Encryption } from 'fastify-source-origin/accounts'
import type { HouseholdConnection } from 'fastify-source-origin/page'
import { reads, type OtherLogin, type OtherLogins } from './logins.ts'
import { sealSecret } from '../services/secrets.ts'
import { readable, ServiceError, type Services } from '../services/service-client.ts'
import { StartError } from '../start/start-error.ts'
import type { State } from '../state/state.ts'
import { owner } from './owner.ts'

/** The parts that connect accounts to services. */
export interface Connecting {
  readonly state: State
  readonly services: Services
  readonly seal: Encryption
  /** The login methods of other sources. */
  readonly others: OtherLogins
}

/** Connects an account to a service with a secret of the user at the service. @returns the text to print */
export async function connect (
  { state, services, seal, others }: Connecting, account: string, name: string, input: string
): Promise<string> {
  const other = others.get(name)
  if (other !== undefined) return logIn({ state, seal }, account, name, other, input)
  const service = services.get(name)
  if (service === undefined) {
    throw new StartError(name === 'lastfm'
      ? 'LASTFM_API_KEY and LASTFM_SECRET must be set first'
      : `SERVICE must be one of ${['listenbrainz', 'lastfm', ...others.keys()].join(', ')}`)
  }
  const secret = input.trim()
  if (!/^[!-~]{1,200}$/.test(secret)) throw new StartError(`Invalid token or session key of ${service.title}`)
  const said = await service.check(secret).catch(error => {
    throw new StartError(error instanceof ServiceError
      ? readable(error.message, secret)
      : `${service.title} cannot be reached: nothing is changed`)
  })
  const user = readable(said, secret)
  const place = { account, service: name }
  await state.listens.connect({ ...place, secret: sealSecret(seal, place, secret), name: user })
  return `${service.title} gets the plays of ${account} as ${user}`
}

/** Stores a login of an account at another source. */
async function logIn (
  { state, seal }: Pick<Connecting, 'state' | 'seal'>, account: string, name: string, other: OtherLogin, input: string
): Promise<string> {
  const { title, takes, parse, check } = other
  if (account === owner) throw new StartError(`The login of ${owner} at ${title} is in the settings`)
  const login = parse(input)
  if (login === undefined) throw new StartError(`This is not ${reads[takes]}`)
  const user = readable(await check(login).catch((error: unknown) => {
    const isRefused = [error, (error as Error).cause].some(error =>
      error instanceof SourceError && [401, 403].includes(error.status))
    throw new StartError(`${title} ${isRefused ? 'refuses this login' : 'cannot be reached'}: nothing is changed`)
  }))
  const place = { account, service: name }
  await state.listens.connect({ ...place, secret: sealSecret(seal, place, login), name: user })
  return `${account} is ${user} at ${title}`
}

export async function disconnect ({ state }: Connecting, account: string, name: string): Promise<string> {
  if (!await state.listens.disconnect(account, name)) throw new StartError(`${account} is not connected to ${name}`)
  return `${account} is not connected to ${name} any more`
}

/** Returns the services and sources to which an account can be connected, with its user name at each. */
export async function connectionsFor (
  { state, services, others }: Connecting, account: string
): Promise<HouseholdConnection[]> {
  const connected = new Map((await state.listens.list(account)).map(one => [one.service, one]))
  const describe = (service: string, { title, takes = 'token' }: Pick<OtherLogin, 'title'> & Partial<OtherLogin>) => {
    const { name: user, problem } = connected.get(service) ?? {}
    return { service, title, user, problem: problem || undefined, takes }
  }
  // The logins of the owner are in the settings.
  const all = [...services, ...account === owner ? [] : others]
  return all.map(([service, one]) => describe(service, one))
}

/** Returns the connections of an account, one line each. */
export async function connectionsOf ({ state }: Connecting, account: string): Promise<string[]> {
  return (await state.listens.list(account)).map(({ service, name, waiting, problem }) =>
    `  ${service} as ${name}${waiting > 0 ? `, ${waiting} wait` : ''}${problem && `: ${problem}`}`)
}
