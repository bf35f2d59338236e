import type { FastifyInstance } from 'fastify'

/** Returns the URL of a listening server for this machine, without a trailing slash: `http://localhost:3000`. */
export const localOrigin = ({ listeningOrigin }: FastifyInstance): string =>
  listeningOrigin.replace(/127\.0\.0\.1|0\.0\.0\.0|\[::1?\]/, 'localhost')

/**
 * Returns the link that opens the page signed in. Browsers do not send the part after the #, and the page removes it
 * from the address bar, but the browser history may store it. It contains the token: show it only to its owner, and do
 * not log it.
 *
 * @param page URL of the page, with a trailing slash
 */
export const signInLink = (page: string, token: string): string => `${page}#token=${encodeURIComponent(token)}`
