/** Text as it is compared: case and accents off. */
export const fold = (text: string): string => withoutMarks(text).toLowerCase().trim()

function withoutMarks (text: string): string {
  if (!/[^ -~]/.test(text)) return text
  // Marks go first, since putting many in order takes quadratic time.
  return text.replace(/\p{M}/gu, '').normalize('NFKD').replace(/\p{M}/gu, '')
}
