import { capabilities } from './capabilities.ts'
import type { AdapterMethod } from './operations.ts'

type Adapter = { readonly [M in AdapterMethod]?: unknown }

/**
 * Names of the capabilities that an adapter has, in the order of the table. No method is called.
 *
 * @param adapter the adapter, methods own or inherited
 * @param options `stateless`: `true` by default; stateful capabilities are only declared with `false`
 * @see docs/contract.md, Capabilities
 */
export function inferCapabilities (adapter: Adapter, options: { stateless?: boolean | undefined } = {}): string[] {
  const names: string[] = []
  for (const { name, methods, stateful } of capabilities) {
    if ((!stateful || options.stateless === false) && hasAll(adapter, methods)) names.push(name)
  }
  return names
}

function hasAll (adapter: Adapter, methods: readonly AdapterMethod[]): boolean {
  for (const method of methods) if (typeof adapter[method] !== 'function') return false
  return true
}
