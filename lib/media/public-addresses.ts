import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import ipaddr from 'ipaddr.js'

/** An address that is not reachable for everyone: the machine itself, its network, a cloud's metadata service. */
export class PrivateAddressError extends Error {
  constructor (host: string) { super(`${host} is in a private network; the option "allowPrivate" would allow that`) }
}

/** The part of IPv6 that public addresses are of. IPv4 addresses behind zeros (`::7f00:1`) are not. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

function isPublic (text: string): boolean {
  const address = ipaddr.process(text)
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(publicIpv6))
}

/**
 * Checks a host that is written as an address, since no look-up is made for such a host.
 *
 * @param hostname as a URL has it
 * @throws PrivateAddressError
 */
export function checkLiteral (hostname: string): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address) && !isPublic(address)) throw new PrivateAddressError(hostname)
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/**
 * A look-up for sockets that fails unless all addresses of the name are public. The socket goes to an address that was
 * checked, so a name that resolves to another one a moment later changes nothing.
 */
export function publicLookup (lookup = systemLookup) {
  return (hostname: string, options: LookupOptions, done: Callback): void =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      if (!addresses.every(({ address }) => isPublic(address))) return done(new PrivateAddressError(hostname), [])
      if (options.all) return done(null, addresses)
      done(null, addresses[0]!.address, addresses[0]!.family)
    })
}
