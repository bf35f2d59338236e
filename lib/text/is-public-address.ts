import ipaddr from 'ipaddr.js'

/** The range of public IPv6 addresses. It excludes IPv4 addresses in IPv6 form (`::7f00:1`). */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Returns the IP address in the host of a URL; `undefined` for a name. */
export function addressOf (hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) ? address : undefined
}

/** Returns whether an IP address is public: not an address of the machine itself, its network or a cloud's services. */
export function isPublicAddress (text: string): boolean {
  const address = ipaddr.process(text)
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(publicIpv6))
}
