import leven from 'leven'

/** The known name that an unknown one was probably meant to be; two slips at the most. */
export function didYouMean (name: string, known: readonly string[]): string | undefined {
  return known.find(other => leven(name.toLowerCase(), other.toLowerCase()) <= 2)
}
