/** Milliseconds that a new session from the upstream may take. */
export const refreshTimeout = 30_000
