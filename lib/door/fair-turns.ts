import { AsyncResource } from 'node:async_hooks'
import { isBeyondShare } from '../async/is-beyond-share.ts'

/** Requests that begin in one turn of the event loop. */
const mostOfTurn = 20

/**
 * Starts some requests in each turn of the event loop, one address after the other; the rest wait. While more than a
 * thousand connections have data, Node.js keeps reading and reaches neither timers nor new connections: clients that
 * send the next request upon each answer would block all others for minutes.
 *
 * @param mostWaiting requests, of which an address has its share
 * @returns begins a request, now or later; `false` where too many wait
 */
export function fairTurns (mostWaiting: number): (network: string, begin: () => void) => boolean {
  /** By network, the one whose turn is next first. */
  const queues = new Map<string, (() => void)[]>()
  let waiting = 0
  let left = mostOfTurn
  let isPlanned = false

  function plan (): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(beginWaiting)
  }

  function beginWaiting (): void {
    isPlanned = false
    left = mostOfTurn
    // A map that is changed goes on with what was added.
    for (const [network, queue] of queues) {
      queues.delete(network)
      const begin = queue.shift()!
      if (queue.length > 0) queues.set(network, queue)
      waiting--
      left--
      begin()
      if (left === 0) break
    }
    if (waiting > 0) plan()
  }

  return (network, begin) => {
    plan()
    if (left > 0) {
      left--
      begin()
      return true
    }
    const queue = queues.get(network) ?? []
    if (isBeyondShare(queue.length, waiting, mostWaiting)) return false
    waiting++
    queue.push(AsyncResource.bind(begin))
    queues.set(network, queue)
    return true
  }
}
