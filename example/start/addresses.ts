import type { FastifyInstance } from 'fastify'
import { localOrigin, signInLink } from 'fastify-source-origin/serve'
import type { Settings } from './settings.ts'

/** Whether the source has the page that plays it. */
export const hasPage = ({ PAGE, NODE_ENV }: Settings): boolean => (PAGE || String(NODE_ENV !== 'production')) === 'true'

/**
 * Where people reach the source: `PUBLIC_URL`, else this machine.
 *
 * @param app the server, where it runs in this process
 */
export function originOf ({ PUBLIC_URL, PORT }: Settings, app?: FastifyInstance): string {
  if (PUBLIC_URL !== '') return PUBLIC_URL
  if (!app?.server.listening) return `http://localhost:${PORT}`
  return localOrigin(app) + app.prefix
}

/** Makes links that open the page signed in; `undefined` where there is no page. */
export const signInLinks = (settings: Settings, app?: FastifyInstance) => (token: string): string | undefined =>
  hasPage(settings) ? signInLink(`${originOf(settings, app)}/`, token) : undefined
