import { foldText } from './fold-text.ts'

/**
 * What names are sorted by, as people sort them: without case and accents, numbers by their size. Signs and digits come
 * before letters.
 */
export const sortKey = (name: string): string => foldText(name).replace(/\d+/g, digits => {
  const number = digits.replace(/^0+(?=\d)/, '')
  return String.fromCharCode(0x30 + Math.min(number.length, mostDigits)) + number
})

/** Digits of a number that count; the sign for so many still comes before letters. */
const mostDigits = 40
