/** What modules get that the hook of test/strip-types.js leads here, by the key in their URL. */
const mocks = new Map<string, Readonly<Record<string, unknown>>>()
Object.assign(globalThis, { mocks })

/**
 * Imports a module anew, which gets other modules than those that it imports.
 *
 * @param url of the module, as `import.meta.resolve` gives it
 * @param given by the specifiers in the module: exports, or the error that the import is to fail with
 */
export function mockImport<M> (url: string, given: Readonly<Record<string, object>>): Promise<M> {
  const key = String(mocks.size)
  mocks.set(key, given)
  const names = Object.fromEntries(Object.entries(given).map(([specifier, exports]) =>
    [specifier, exports instanceof Error ? null : Object.keys(exports)]))
  return import(`${url}?${new URLSearchParams({ mocks: JSON.stringify({ key, names }) })}`)
}
