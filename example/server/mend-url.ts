import { serverOptions } from 'fastify-source-origin/serve'

/**
 * Returns the URL that Fastify passes to the routes. A URL outside the prefix of fastify-cli loses its query: Fastify
 * logs that URL, and its query may contain a login.
 */
export function mendUrl (request: { url?: string | undefined }): string {
  const prefix = process.env.FASTIFY_PREFIX?.trim() ?? ''
  const url = serverOptions.rewriteUrl(request)
  const [path = ''] = url.split(/[?#]/, 1)
  return isBelow(`/${prefix}`, decodeURI(path)) ? url : path
}

/** Checks whether a path is below a prefix, as routes match: in any case, and with repeated slashes. */
function isBelow (prefix: string, path: string): boolean {
  const [root, asked] = [prefix, path.replace(/^https?:\/\/[^/]+/i, '')].map(text =>
    text.toLowerCase().replace(/\/+/g, '/')) as [string, string]
  return asked === root || asked.startsWith(root.replace(/\/?$/, '/'))
}
