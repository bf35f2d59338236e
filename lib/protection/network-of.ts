import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * Returns the network of an address, which limits count: the first 64 bits of an IPv6 address, which one household or
 * host usually has. Some proxies append the port. All invalid addresses count as one, because clients could send any
 * number of them, of any length.
 */
export function networkOf (ip: string): string {
  const plain = String(ip).replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  if (!ipaddr.isValid(plain)) return 'unknown'
  const address = ipaddr.process(plain)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

const noted = new WeakMap<FastifyRequest, string>()

/** Returns the network of a request. The result is cached, because several limits use it. */
export function networkOfRequest (request: FastifyRequest): string {
  const known = noted.get(request)
  if (known !== undefined) return known
  const network = networkOf(request.ip)
  noted.set(request, network)
  return network
}
