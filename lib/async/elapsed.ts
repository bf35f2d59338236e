let monotonic = performance.now()
let wall = Date.now()
let asleep = 0

/**
 * Returns a monotonic time in milliseconds that includes the sleep of the machine. On Linux, `performance.now()` stops
 * during sleep, so that values with an absolute expiry would be cached for too long.
 */
export function elapsed (): number {
  const [nowMonotonic, nowWall] = [performance.now(), Date.now()]
  const missing = (nowWall - wall) - (nowMonotonic - monotonic)
  // A smaller difference is a gradual clock correction. A clock that is set forward counts as sleep, which only causes
  // cache misses.
  if (missing > 1000) asleep += missing
  monotonic = nowMonotonic
  wall = nowWall
  return nowMonotonic + asleep
}
