/** The timeout in milliseconds for a new session from the upstream. */
export const refreshTimeout = 30_000
