import { operations } from '../contract/operations.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { TracedCall } from '../tracing/channels.ts'

const known = new Set<unknown>(operations.map(({ adapterMethod }) => adapterMethod))

/** The label of an operation. Anybody may send a message, so it is looked up. */
export const operationLabel = (name: unknown): string => known.has(name) ? String(name) : 'other'

/** How a call ended, in one word. */
export function outcomeOf ({ status, error }: TracedCall): string {
  const code = status ?? (error === undefined ? 200 : 500)
  if (code === 429) return 'limited'
  if (code === 499) return 'left'
  if (code === 504) return 'timeout'
  return code < 400 ? 'ok' : isFailure(code) ? 'failed' : 'refused'
}

/** Names that a label has at most; whoever has more of them sees `other`. */
const mostNames = 20

/** Makes a label of names that options give, of which there are few. */
export function createNameLabel (): (name: unknown) => string {
  const names = new Set<string>()
  return given => {
    const name = String(given)
    if (names.size < mostNames && /^[\w.-]{1,50}$/.test(name)) names.add(name)
    return names.has(name) ? name : 'other'
  }
}
