/** The bytes of the longest body of an operation of the household: accounts and playlists to import are smaller. */
export const longestRun = 32_000_000
