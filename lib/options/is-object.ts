/** Whether a value is an object with members: arrays, functions and `null` are none. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
