/** The maximum delay of `setTimeout` in milliseconds. A longer delay overflows and fires at once. */
export const longestTimeout = 2 ** 31 - 1
