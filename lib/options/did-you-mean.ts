import leven from 'leven'

/** The known name that an unknown one was probably meant to be: at most two letters differ. */
export function didYouMean (name: string, known: readonly string[]): string | undefined {
  return known.find(other => leven(name.toLowerCase(), other.toLowerCase()) <= 2)
}
