import ipaddr from 'ipaddr.js'

/** What an address counts as: of IPv6 its first 64 bits, which one household or host has to itself. */
export function networkOf (ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}
