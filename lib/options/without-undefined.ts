/** Returns the properties of an object that have a value. */
export const withoutUndefined = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as
    { [Name in keyof T]?: Exclude<T[Name], undefined> }
