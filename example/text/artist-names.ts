/** Returns the names of artists, joined with commas. */
export const artistNames = (artists: readonly { readonly name: string }[]): string =>
  artists.map(({ name }) => name).join(', ')
