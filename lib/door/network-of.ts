import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * What an address counts as: of IPv6 its first 64 bits, which one household or host has to itself. Some proxies write
 * its port too. Everything that is no address counts as one: clients could send any number of them, of any length.
 */
export function networkOf (ip: string): string {
  const plain = String(ip).replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  if (!ipaddr.isValid(plain)) return 'unknown'
  const address = ipaddr.process(plain)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

const noted = new WeakMap<FastifyRequest, string>()

/** The network that a request came from: several limits ask for it. */
export function networkOfRequest (request: FastifyRequest): string {
  const known = noted.get(request)
  if (known !== undefined) return known
  const network = networkOf(request.ip)
  noted.set(request, network)
  return network
}
