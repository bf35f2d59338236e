import type { FastifyInstance } from 'fastify'
import { localOrigin, signInLink } from 'fastify-source-origin/serve'
import type { Settings } from './settings.ts'

/** Checks whether the source serves the web player. */
export const hasPage = ({ PAGE, NODE_ENV }: Settings): boolean => (PAGE || String(NODE_ENV !== 'production')) === 'true'

/**
 * Returns the public URL of the source: `PUBLIC_URL`, or else an address of this machine.
 *
 * @param app The server, if it runs in this process
 */
export function originOf ({ PUBLIC_URL, PORT }: Settings, app?: FastifyInstance): string {
  if (PUBLIC_URL !== '') return PUBLIC_URL
  if (!app?.server.listening) return `http://localhost:${PORT}`
  return localOrigin(app) + app.prefix
}

/** Returns a function that creates sign-in links for the page. The function returns `undefined` without a page. */
export const signInLinks = (settings: Settings, app?: FastifyInstance) => (token: string): string | undefined =>
  hasPage(settings) ? signInLink(`${originOf(settings, app)}/`, token) : undefined
