/** The syntax of a pattern: `name`, `name:port` or `*.name`. A name may be an address. */
const pattern = /^(\*\.)?((?:\[[0-9a-f:.]+\])|[^\s/\\?#@:*[\]]+)(?::(\d{1,5}))?$/i

/** Returns whether a value is a valid pattern of a host list. */
export const isHostPattern = (value: unknown) => typeof value === 'string' && parse(value) !== undefined

/** Parses a pattern. Names have the form of URLs: lower case, punycode, addresses in their usual form. */
function parse (text: string): { below: boolean, name: string, port: string } | undefined {
  const [, wildcard, name, port = ''] = pattern.exec(text) ?? []
  const url = `https://${name}:${port}`
  if (name === undefined || !URL.canParse(url)) return undefined
  return { below: wildcard !== undefined, name: new URL(url).hostname, port }
}

/**
 * Creates a function that checks whether a URL belongs to one of the hosts, at the default port of its scheme unless
 * the pattern contains a port.
 *
 * @param hosts patterns that `isHostPattern` accepts
 */
export function hostMatcher (hosts: readonly string[]): (url: URL) => boolean {
  const listed = hosts.map(host => parse(host)!)
  return ({ protocol, hostname, port }) => listed.some(host =>
    (host.below ? hostname.endsWith(`.${host.name}`) : hostname === host.name) &&
    (host.port === '' ? port === '' : Number(host.port) === Number(port || (protocol === 'https:' ? 443 : 80))))
}
