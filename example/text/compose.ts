/**
 * Unicode's own limit for texts that are read as streams (UAX #15, Stream-Safe Text Format). No language comes near.
 */
const mostMarks = 30

const tooManyMarks = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')

/** A text without the marks that follow each other beyond the thirtieth: putting them in order takes quadratic time. */
export const limitMarks = (text: string): string => text.replace(tooManyMarks, '$1')

/** A text in the composed form (NFC), so that the same letters compare as the same. */
export const compose = (text: string): string => limitMarks(text).normalize('NFC')
