/** A part of a file: from byte `start` to the one before byte `end`. */
export interface Range { readonly start: number, readonly end: number }

/**
 * The part of a file that a `Range` header asks for. Several parts, other units and what is no range are ignored, so
 * that the whole file is sent, as RFC 9110 allows.
 *
 * @param size bytes
 */
export function parseRange (header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  return start < end ? { start, end } : 'unsatisfiable'
}
