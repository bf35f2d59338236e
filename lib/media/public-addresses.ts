import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { addressOf, isPublicAddress } from '../text/is-public-address.ts'

/** An address that is not reachable for everyone: the machine itself, its network, a cloud's metadata service. */
export class PrivateAddressError extends Error {
  constructor (host: string) { super(`${host} is in a private network; the option "allowPrivate" would allow that`) }
}

/**
 * Checks a host that is written as an address, since no look-up is made for such a host.
 *
 * @param hostname as a URL has it
 * @throws PrivateAddressError
 */
export function refusePrivateLiteral (hostname: string): void {
  const address = addressOf(hostname)
  if (address !== undefined && !isPublicAddress(address)) throw new PrivateAddressError(hostname)
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/**
 * A look-up for sockets that fails unless all addresses of the name are public. The socket goes to an address that was
 * checked, so a name that resolves to another one a moment later changes nothing.
 */
export const publicLookup = (hostname: string, options: LookupOptions, done: Callback): void =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, [])
    const arePublic = addresses.every(({ address }) => isPublicAddress(address))
    if (!arePublic) return done(new PrivateAddressError(hostname), [])
    if (options.all) return done(null, addresses)
    done(null, addresses[0]!.address, addresses[0]!.family)
  })
