/** The maximum length of the body of a household operation, in bytes. Files to import are shorter. */
export const longestRun = 32_000_000
