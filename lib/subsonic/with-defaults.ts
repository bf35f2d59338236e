/** Options with their defaults. A member that is `undefined` counts as left out. */
export const withDefaults = <D extends object, T extends object>(defaults: D, given: T | undefined): D & T =>
  ({ ...defaults, ...Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T })
