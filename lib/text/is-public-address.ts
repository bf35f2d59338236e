import ipaddr from 'ipaddr.js'

/** The part of IPv6 that public addresses are of. IPv4 addresses behind zeros (`::7f00:1`) are not. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** The address in a host as a URL has it; `undefined` for a name. */
export function addressOf (hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) ? address : undefined
}

/** Whether everybody reaches an IP address: it is not of the machine itself, its network or a cloud's services. */
export function isPublicAddress (text: string): boolean {
  const address = ipaddr.process(text)
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(publicIpv6))
}
