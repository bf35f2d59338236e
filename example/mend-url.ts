/**
 * The URL that the routes get. Fastify answers one that it cannot decode before any hook or route, with the query in
 * the answer. Here it becomes one that leads to the same protocol, which refuses it as any other that it does not know.
 *
 * What is beside the prefix of fastify-cli loses its query, since Fastify logs it, and a login may be in it.
 */
export function mendUrl (
  { url = '/' }: { url?: string | undefined }, prefix = process.env.FASTIFY_PREFIX?.trim() ?? ''
): string {
  const [path = ''] = url.split(/[?#]/, 1)
  // `OPTIONS *` has none.
  const found = /^(\/|https?:\/\/[^/]+\/)/i.test(path) ? path : '/'
  const query = isBelow(`/${prefix}`, found) ? url.slice(path.length) : ''
  return (isDecodable(found) ? found : found.replaceAll('%', '%25')) + query
}

/** Routes are found in any case, and with more slashes. */
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
