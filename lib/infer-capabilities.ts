import { compileFunction } from 'node:vm'
import { capabilities } from './capabilities.ts'
import type { AdapterMethod } from './operations.ts'

type Infer = (adapter: { readonly [M in AdapterMethod]?: unknown }, options?: { stateless?: boolean }) => string[]

const isFunction = (method: string) => `typeof adapter.${method} === 'function'`

/**
 * Names of the capabilities that an adapter has, in the order of the table. No method is called.
 *
 * Compiled from the table: members that are named in the code are found more than ten times as fast as by names from a list.
 *
 * @param adapter the adapter, methods own or inherited
 * @param options `stateless`: `true` by default; only `false` lets the stateful ones through
 * @see protocol.md, Capabilities
 */
export const inferCapabilities = compileFunction(`
  const names = []
  const stateful = options !== undefined && options.stateless === false
  ${capabilities.map(({ name, methods, stateful }) =>
    `if (${stateful ? 'stateful && ' : ''}${methods.map(isFunction).join(' && ')}) names.push('${name}')`).join('\n')}
  return names`, ['adapter', 'options']) as Infer
