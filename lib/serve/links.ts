import type { FastifyInstance } from 'fastify'

/** Where this machine reaches a server that listens, without a slash at the end: `http://localhost:3000`. */
export const localOrigin = ({ listeningOrigin }: FastifyInstance): string =>
  listeningOrigin.replace(/127\.0\.0\.1|0\.0\.0\.0|\[::1?\]/, 'localhost')

/**
 * The link that opens the page signed in. Browsers do not send what is behind the #, and the page takes it out of the
 * address bar, but their history may keep it. It holds the token: show it to its owner, and log it nowhere.
 *
 * @param page URL of the page, with the slash at its end
 */
export const signInLink = (page: string, token: string): string => `${page}#token=${encodeURIComponent(token)}`
