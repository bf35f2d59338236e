/** Text as it is compared: case and accents off. */
export const fold = (text: string): string =>
  // Marks go first, since putting many in order takes quadratic time.
  text.replace(/\p{M}/gu, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
