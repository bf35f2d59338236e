/** Unicode's own limit for texts that are read as streams (UAX #15, Stream-Safe Text Format); no language comes near it. */
const mostMarks = 30

const tooManyMarks = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')

/**
 * A text in the composed form (NFC), so that the same letters compare as the same. Marks that follow each other beyond the
 * thirtieth are dropped: putting them in order takes quadratic time.
 */
export const compose = (text: string): string => text.replace(tooManyMarks, '$1').normalize('NFC')
