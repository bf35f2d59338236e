import { operations } from '../contract/operations.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { TracedCall } from '../tracing/channels.ts'

const known = new Set<unknown>(operations.map(({ adapterMethod }) => adapterMethod))

/** Returns the label of an operation; `other` for an unknown name, because any code may publish messages. */
export const operationLabel = (name: unknown): string => known.has(name) ? String(name) : 'other'

/** Returns the result of a call as one word. */
export function outcomeOf ({ status, error }: TracedCall): string {
  const code = status ?? (error === undefined ? 200 : 500)
  if (code === 429) return 'limited'
  if (code === 499) return 'left'
  if (code === 504) return 'timeout'
  return code < 400 ? 'ok' : isFailure(code) ? 'failed' : 'refused'
}

/** The maximum number of names of a label. Further names become `other`. */
const mostNames = 20

/** Creates a function that returns the label of a name from the options. The number of names is limited. */
export function createNameLabel (): (name: unknown) => string {
  const names = new Set<string>()
  return given => {
    const name = String(given)
    if (names.size < mostNames && /^[\w.-]{1,50}$/.test(name)) names.add(name)
    return names.has(name) ? name : 'other'
  }
}
