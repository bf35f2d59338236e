/** Tests run a fixed fifth of each product; `npm test -- --products` runs all of it. */
export const share = process.env.TESTS === 'all' ? 1 : 5

/**
 * A fixed fifth of what is tried, never nothing.
 *
 * @param turn begins at another one: who takes the fifth of one list for each of another gives the place in that one,
 * and both are tried as a whole
 */
export const fifthOf = <T>(all: readonly T[], turn = 0): T[] =>
  all.filter((_, at) => at % share === turn % Math.min(share, all.length))

/** A fifth of so many random tries. */
export const fifthOfRuns = (count: number) => ({ numRuns: Math.ceil(count / share) })
