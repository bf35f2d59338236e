import type { Test } from 'tap'

/** Counts how often others have their turn while some work is done. */
export async function countTurns<T> (work: () => Promise<T>): Promise<{ result: T, turns: number }> {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const result = await work()
  isDone = true
  return { result, turns }
}

/** The same as `countTurns` where each read of the clock is 6 ms later, so that work is long at once. */
export async function countTimedTurns<T> (t: Test, work: () => Promise<T>): Promise<{ result: T, turns: number }> {
  let now = performance.now()
  const { restore } = t.intercept(performance, 'now', { value: () => { now += 6; return now } })
  const counted = await countTurns(work)
  restore()
  return counted
}
