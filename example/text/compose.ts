import { limitMarks } from 'fastify-source-origin/library'

/** Returns a string in the composed form (NFC), so that equal letters compare as equal. */
export const compose = (text: string): string => limitMarks(text).normalize('NFC')
