import { serverOptions } from 'fastify-source-origin/serve'

/**
 * The URL that the routes get. What is beside the prefix of fastify-cli loses its query, since Fastify logs it, and a
 * login may be in it.
 */
export function mendUrl (request: { url?: string | undefined }): string {
  const prefix = process.env.FASTIFY_PREFIX?.trim() ?? ''
  const url = serverOptions.rewriteUrl(request)
  const [path = ''] = url.split(/[?#]/, 1)
  return isBelow(`/${prefix}`, decodeURI(path)) ? url : path
}

/** Routes are found in any case, with more slashes, and with letters that are written as bytes. */
function isBelow (prefix: string, path: string): boolean {
  const [root, asked] = [prefix, path.replace(/^https?:\/\/[^/]+/i, '')].map(text =>
    text.toLowerCase().replace(/\/+/g, '/')) as [string, string]
  return asked === root || asked.startsWith(root.replace(/\/?$/, '/'))
}
