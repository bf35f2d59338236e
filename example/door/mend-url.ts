/**
 * The URL that the routes get. Fastify answers one that it cannot decode before any hook or route, with the query in
 * the answer. Here it becomes one that leads to the same protocol, which refuses it as any other that it does not know.
 *
 * What is beside the prefix of fastify-cli loses its query, since Fastify logs it, and a login may be in it.
 */
export function mendUrl ({ url = '/' }: { url?: string | undefined }): string {
  const prefix = process.env.FASTIFY_PREFIX?.trim() ?? ''
  const [path = ''] = url.split(/[?#]/, 1)
  // `OPTIONS *` has none.
  const found = /^(\/|https?:\/\/[^/]+\/)/i.test(path) ? path : '/'
  const mended = isDecodable(found) ? found : found.replaceAll('%', '%25')
  return mended + (isBelow(`/${prefix}`, decodeURI(mended)) ? url.slice(path.length) : '')
}

/** Routes are found in any case, with more slashes, and with letters that are written as bytes. */
function isBelow (prefix: string, path: string): boolean {
  const [root, asked] = [prefix, path.replace(/^https?:\/\/[^/]+/i, '')].map(text =>
    text.toLowerCase().replace(/\/+/g, '/')) as [string, string]
  return asked === root || asked.startsWith(root.replace(/\/?$/, '/'))
}

function isDecodable (path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}
