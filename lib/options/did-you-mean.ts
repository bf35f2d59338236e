import leven from 'leven'

/** Returns the valid name that an unknown name was probably meant to be. At most two letters differ. */
export function didYouMean (name: string, known: readonly string[]): string | undefined {
  return known.find(other => leven(name.toLowerCase(), other.toLowerCase()) <= 2)
}
