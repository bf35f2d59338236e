/**
 * The URL that the routes get. Fastify answers one that it cannot decode before any hook or route, with the query in
 * the answer. Here it becomes one that leads to the same protocol, which refuses it as any other that it does not know.
 */
export function mendUrl ({ url = '/' }: { url?: string | undefined }): string {
  const [path = ''] = url.split(/[?#]/, 1)
  // `OPTIONS *` has none.
  const found = /^(\/|https?:\/\/[^/]+\/)/i.test(path) ? path : '/'
  return (isDecodable(found) ? found : found.replaceAll('%', '%25')) + url.slice(path.length)
}

function isDecodable (path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}
