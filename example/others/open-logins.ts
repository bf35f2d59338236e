import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { lruOptions } from '../text/lru-options.ts'

/** The maximum number of open logins of accounts. */
const mostLogins = 1000
/** The time after which an unused login is closed, in milliseconds. */
const loginTtl = 7 * 24 * 60 * 60 * 1000

/**
 * Returns a function that returns an open login, and opens it on first use.
 *
 * @param open opens a login, which is closed when it has not been used for a week, and with the server
 */
export function openLogins<T extends { close (): Promise<void> }> (
  app: FastifyInstance, open: (login: string) => T
): (login: string) => T {
  const logins = new LRUCache<string, T>({
    ...lruOptions(mostLogins),
    ttl: loginTtl,
    updateAgeOnGet: true,
    dispose: login => { login.close().catch(error => app.log.warn({ err: error }, 'login not closed')) }
  })
  app.addHook('onClose', async () => logins.clear())
  return login => {
    const known = logins.get(login)
    if (known !== undefined) return known
    const opened = open(login)
    logins.set(login, opened)
    return opened
  }
}
