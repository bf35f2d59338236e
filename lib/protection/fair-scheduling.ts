import { AsyncResource } from 'node:async_hooks'
import { isBeyondShare } from '../async/is-beyond-share.ts'

/** The maximum number of requests that begin per event-loop tick. */
const mostOfTurn = 20

/**
 * Starts a limited number of requests per event-loop tick, round robin by client address, and queues the rest. While
 * more than a thousand connections have data, Node.js continues reading and reaches neither timers nor new connections:
 * clients that send the next request after each response would block all others for minutes.
 *
 * @param mostWaiting maximum number of queued requests, of which each address may use a share
 * @returns a function that begins a request, now or later, and returns `false` if the queue is full
 */
export function fairScheduling (mostWaiting: number): (network: string, begin: () => void) => boolean {
  /** The queues by network. The network that is served next is the first one. */
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
    // A network with further requests is added again at the end of the map, and the iteration reaches it again.
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
