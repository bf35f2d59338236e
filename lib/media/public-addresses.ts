import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { addressOf, isPublicAddress } from '../text/is-public-address.ts'

/** The error for an address that is not public: the machine itself, its network, a cloud's metadata service. */
export class PrivateAddressError extends Error {
  constructor (host: string) { super(`${host} is in a private network; the option "allowPrivate" would allow that`) }
}

/**
 * Checks a host that is an IP address, since no look-up is made for it.
 *
 * @param hostname as in a URL
 * @throws PrivateAddressError
 */
export function refusePrivateLiteral (hostname: string): void {
  const address = addressOf(hostname)
  if (address !== undefined && !isPublicAddress(address)) throw new PrivateAddressError(hostname)
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/**
 * Looks up a name for a socket, and fails unless all its addresses are public. The socket connects to a checked
 * address, so a later DNS change has no effect.
 */
export const publicLookup = (hostname: string, options: LookupOptions, done: Callback): void =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, [])
    const arePublic = addresses.every(({ address }) => isPublicAddress(address))
    if (!arePublic) return done(new PrivateAddressError(hostname), [])
    if (options.all) return done(null, addresses)
    done(null, addresses[0]!.address, addresses[0]!.family)
  })
