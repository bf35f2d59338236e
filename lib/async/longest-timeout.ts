/** The longest delay of `setTimeout`, in milliseconds: a longer one overflows and fires at once. */
export const longestTimeout = 2 ** 31 - 1
