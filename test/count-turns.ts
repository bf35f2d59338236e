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
