import type { Encryption } from 'fastify-source-origin/accounts'
import { LRUCache } from 'lru-cache'
import { openSecret } from '../services/secrets.ts'
import { otherSuffixes, type Settings } from '../start/settings.ts'
import { lruOptions } from '../text/lru-options.ts'
import type { Listens } from '../state/listens.ts'
import type { SubsonicLogin } from '../others/clients.ts'
import { hostOf, isOtherSource } from '../text/other-ids.ts'

/** Descriptions of the input of `connect`, for messages. */
export const reads = { login: 'a name and a password, a line each', token: 'a token' } as const

/** The login method of another source. */
export interface OtherLogin {
  /** The host of the source. */
  readonly title: string
  readonly takes: keyof typeof reads
  /** @returns the string to store; `undefined` for invalid input */
  readonly parse: (input: string) => string | undefined
  /** Checks a login. @returns its user name at the source */
  readonly check: (login: string) => Promise<string>
}

/** The login methods by source id. */
export type OtherLogins = ReadonlyMap<string, OtherLogin>

/** Returns the login methods of the sources in the settings. */
export function otherLogins (settings: Settings): OtherLogins {
  const logins = new Map<string, OtherLogin>()
  for (const suffix of otherSuffixes) {
    const [subsonicUrl, sourceUrl] = [settings[`SUBSONIC_URL${suffix}`], settings[`SOURCE_URL${suffix}`]]
    if (subsonicUrl !== '') logins.set(`subsonic${suffix}`, ofSubsonic(subsonicUrl))
    if (sourceUrl !== '') logins.set(`source${suffix}`, ofSource(sourceUrl))
  }
  return logins
}

const ofSubsonic = (url: string): OtherLogin => ({
  title: hostOf(url),
  takes: 'login',
  parse (input) {
    const [username = '', password = '', ...more] = input.trim().split(/\r?\n/)
    const isLogin = username !== '' && password !== '' && more.length === 0 && input.length < 1000
    return isLogin ? JSON.stringify({ username, password } satisfies SubsonicLogin) : undefined
  },
  async check (login) {
    // Imported dynamically, because most starts need no client.
    const [{ createSubsonicAdapter }, { subsonicClient }] =
      await Promise.all([import('fastify-source-origin/subsonic/client'), import('../others/clients.ts')])
    const client = subsonicClient(url, login)
    try {
      return (await createSubsonicAdapter(client, { media: String }).getUserMe!()).nickname
    } finally {
      await client.close()
    }
  }
})

const ofSource = (url: string): OtherLogin => ({
  title: hostOf(url),
  takes: 'token',
  parse: input => /^[!-~]{1,1000}$/.test(input.trim()) ? input.trim() : undefined,
  async check (login) {
    const { sourceClient } = await import('../others/clients.ts')
    await sourceClient(url, login).status()
    return 'a listener of its own'
  }
})

/** Returns the logins of an account, by source id. Without a revision they are read from the database. */
export type LoginsOf = (account: string, revision?: string) => Promise<ReadonlyMap<string, string>>

/** Creates a cached `LoginsOf`. A change of a login changes the revision of its account. */
export function loginsOf (listens: Listens, seal: Encryption): LoginsOf {
  const known = new LRUCache<string, ReadonlyMap<string, string>>(lruOptions(10_000))
  const read = async (account: string) => {
    const all = (await listens.list(account)).filter(({ service }) => isOtherSource(service))
    const logins = all.map(one => [one.service, openSecret(seal, one)] as const)
    return new Map(logins.filter((login): login is [string, string] => login[1] !== undefined))
  }
  return async (account, revision) => {
    if (revision === undefined) return read(account)
    const key = `${account} ${revision}`
    const logins = known.get(key) ?? await read(account)
    known.set(key, logins)
    return logins
  }
}
