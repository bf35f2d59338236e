import { compileFunction } from 'node:vm'
import { capabilities } from '../contract/capabilities.ts'
import type { AdapterMethod } from '../contract/operations.ts'

type Adapter = { readonly [M in AdapterMethod]?: unknown }

const isFunction = (method: AdapterMethod) => `typeof adapter.${method} === 'function'`

/** Compiled from the table instead of a loop, for the benchmark row "status". */
const namesOf = compileFunction(`
  const names = []
  ${capabilities.map(({ name, methods, stateful }) =>
    `if (${[...stateful ? ['!isStateless'] : [], ...methods.map(isFunction)].join(' && ')}) names.push('${name}')`
  ).join('\n  ')}
  return names`, ['adapter', 'isStateless']) as (adapter: Adapter, isStateless: boolean) => string[]

/**
 * Returns the names of an adapter's capabilities, in the order of the table. Does not call any method.
 *
 * @param adapter the adapter, with own or inherited methods
 * @param options `stateless`: `true` by default; stateful capabilities are only declared with `false`
 * @see docs/reference/contract.md, Capabilities
 */
export const inferCapabilities = (adapter: Adapter, options: { stateless?: boolean | undefined } = {}): string[] =>
  namesOf(adapter, options.stateless !== false)
