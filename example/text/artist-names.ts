/** Artists in one text. */
export const artistNames = (artists: readonly { readonly name: string }[]): string =>
  artists.map(({ name }) => name).join(', ')
