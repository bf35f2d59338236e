/** Names as people sort them: without case, numbers by their size. */
export const compareNames = new Intl.Collator('en', { numeric: true }).compare
