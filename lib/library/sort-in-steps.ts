/** The number of comparisons in a step. */
const perStep = 5000

/** Sorts numbers in place with a stable sort, in steps, so that a caller can yield to the event loop. */
export function * sortInSteps (
  list: Uint32Array, compare: (a: number, b: number) => number
): Generator<void, void, undefined> {
  let from = list
  let to: Uint32Array = new Uint32Array(list.length)
  let compared = 0
  for (let size = 1; size < list.length; size *= 2) {
    for (let start = 0; start < list.length; start += 2 * size) {
      const middle = Math.min(start + size, list.length)
      const end = Math.min(start + 2 * size, list.length)
      let [left, right] = [start, middle]
      for (let at = start; at < end; at++) {
        const takesLeft = right === end || (left < middle && compare(from[left]!, from[right]!) <= 0)
        to[at] = from[takesLeft ? left++ : right++]!
        if (++compared % perStep === 0) yield
      }
    }
    [from, to] = [to, from]
  }
  if (from !== list) list.set(from)
}
