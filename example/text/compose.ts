import { limitMarks } from 'fastify-source-origin/library'

/** A text in the composed form (NFC), so that the same letters compare as the same. */
export const compose = (text: string): string => limitMarks(text).normalize('NFC')
