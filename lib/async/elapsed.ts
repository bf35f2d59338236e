let monotonic = performance.now()
let wall = Date.now()
let asleep = 0

/**
 * Milliseconds that never go back. They go on while the machine sleeps, as those of `performance.now()` do not on
 * Linux: what expires by the wall clock would be kept for too long.
 */
export function elapsed (): number {
  const [nowMonotonic, nowWall] = [performance.now(), Date.now()]
  const missing = (nowWall - wall) - (nowMonotonic - monotonic)
  // Less is a clock that is corrected little by little. One that is set forward counts as sleep: no harm but a miss.
  if (missing > 1000) asleep += missing
  monotonic = nowMonotonic
  wall = nowWall
  return nowMonotonic + asleep
}
