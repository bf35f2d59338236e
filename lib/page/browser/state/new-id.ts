/** Returns a random id, without `randomUUID`, which exists in secure contexts only. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(2)), part => part.toString(36)).join('')
