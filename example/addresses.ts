import type { FastifyInstance } from 'fastify'
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
  return app.listeningOrigin.replace(/127\.0\.0\.1|0\.0\.0\.0|\[::1?\]/, 'localhost') + app.prefix
}

/**
 * Makes links that open the page signed in; `undefined` where there is no page. The token is behind the #, which
 * browsers do not send, and the page takes it out of the address bar.
 */
export const signInLinks = (settings: Settings, app?: FastifyInstance) => (token: string): string | undefined =>
  hasPage(settings) ? `${originOf(settings, app)}/#token=${encodeURIComponent(token)}` : undefined
