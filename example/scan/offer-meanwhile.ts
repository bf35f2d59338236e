/** Milliseconds until what was read is offered; each time twice as long: making a large catalogue takes its time. */
const firstOffer = 500

/**
 * Offers what was read while the rest is read.
 *
 * @returns what ends it
 */
export function offerMeanwhile (offer: () => Promise<void>): () => void {
  let interval = firstOffer
  let isOver = false
  async function offerNow () {
    await offer()
    interval *= 2
    if (!isOver) timer = setTimeout(offerNow, interval)
  }
  let timer = setTimeout(offerNow, interval)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
