import ipaddr from 'ipaddr.js'

const isCidr = (text: string) => ipaddr.isValidCIDR(text)

/** Returns whether a string is an address, a network, or `unix`. */
export const isNetwork = (text: unknown): boolean =>
  text === 'unix' || (typeof text === 'string' && (isCidr(text) || ipaddr.isValid(text)))

/**
 * Returns whether the peer of a socket is one of these.
 *
 * @param peer its address; `undefined` for a Unix socket
 */
export function isFrom (peer: string | undefined, networks: readonly string[]): boolean {
  if (peer === undefined || !ipaddr.isValid(peer)) return peer === undefined && networks.includes('unix')
  const address = ipaddr.process(peer)
  return networks.some(network => {
    if (network === 'unix') return false
    const [base, bits] = isCidr(network) ? ipaddr.parseCIDR(network) : [ipaddr.process(network), undefined]
    if (base.kind() !== address.kind()) return false
    return bits === undefined ? base.toString() === address.toString() : address.match(base, bits)
  })
}
