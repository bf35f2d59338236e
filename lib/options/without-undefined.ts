/** The members of an object that have a value. */
export const withoutUndefined = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>
